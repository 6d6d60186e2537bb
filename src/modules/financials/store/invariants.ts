/** What must hold of all the money at any moment, and what was found when it was last looked at. */
import type { Db, Statement } from '../../../kernel/context.ts';
import type { GaugeDef } from '../../../kernel/route.ts';
import { bigintArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { KEPT_SUMS, LEDGER_INVARIANTS } from './ledger-invariants.ts';
import { SETTLEMENT_INVARIANTS } from './settlement-invariants.ts';

export interface Invariant {
  /** Its number in the design, `I01` to `I22`; `S01` and on are this service's own. */
  readonly id: string;
  /** What holds, as a sentence. */
  readonly title: string;
  /** Answers `seller_id`, `subject` and `found` of everything that contradicts it, over all sellers. */
  readonly text: string;
}

/** The 22 by their numbers, and what is kept beside the ledger. */
export const INVARIANTS: readonly Invariant[] = [
  ...LEDGER_INVARIANTS,
  ...SETTLEMENT_INVARIANTS,
  ...KEPT_SUMS,
].sort((a, b) => (a.id < b.id ? -1 : 1));

export interface Violation {
  /** Null where it concerns no single seller. */
  readonly seller_id: string | null;
  /** Id of what contradicts it. */
  readonly subject: string;
  /** The figures that do not agree. */
  readonly found: string;
}

export interface Finding {
  readonly id: string;
  readonly title: string;
  /** How many contradict it; 0 when it holds. */
  readonly violations: number;
  readonly examples: readonly Violation[];
}

const EXAMPLES_MAX = 20;

const firstOf = (text: string): Statement<Violation & { readonly total: bigint }> =>
  sql(
    `select count(*) over () as total, seller_id, subject, found from (${text}) as wrong ` +
      `order by seller_id, subject, found limit ${EXAMPLES_MAX}`,
  );

/** Looks at everything, one statement each; give it one snapshot of the system's scope. */
export async function checkInvariants(db: Db): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id, title, text } of INVARIANTS) {
    const rows = await db.all(firstOf(text));
    const examples = rows.map(({ seller_id, subject, found }) => ({ seller_id, subject, found }));
    findings.push({ id, title, violations: Number(rows[0]?.total ?? 0), examples });
  }
  return findings;
}

const RECORD =
  'insert into ledger_audit (invariant, violations, examples, checked_at) ' +
  'select u.invariant, u.violations, u.examples::json, $4 from unnest($1::text[], $2::bigint[], $3::text[]) ' +
  'as u (invariant, violations, examples) on conflict (invariant) do update ' +
  'set violations = excluded.violations, examples = excluded.examples, checked_at = excluded.checked_at';

/** @param at when it was looked at, RFC 3339 */
export async function recordFindings(db: Db, findings: readonly Finding[], at: string): Promise<void> {
  await db.run(
    sql(RECORD, [
      textArray(findings.map(({ id }) => id)),
      bigintArray(findings.map(({ violations }) => BigInt(violations))),
      textArray(findings.map(({ examples }) => JSON.stringify(examples))),
      at,
    ]),
  );
}

export const auditGauges: readonly GaugeDef[] = [
  {
    name: 'spp_ledger_violations',
    help: 'Rows that contradict an invariant of the ledger, as the nightly check found them; 0 where it holds',
    label: 'invariant',
    read: () => sql('select invariant as label, violations::float8 as value from ledger_audit'),
  },
];
