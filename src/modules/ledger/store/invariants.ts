/** Invariants of money as queries, and the findings of the last audit. */
import type { Db } from '../../../kernel/context.ts';
import type { GaugeDef } from '../../../kernel/route.ts';
import { bigintArray, textArray } from '../../../platform/db/arrays.ts';
import { bigint, float, nullable, text as sqlText } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';

export interface Invariant {
  /** The number in the design, `I01` to `I22`. Numbers from `S01` are further invariants of this service. */
  readonly id: string;
  /** The invariant as a sentence. */
  readonly title: string;
  /** A query over all sellers that returns `seller_id`, `subject` and `found` of each violation. */
  readonly text: string;
}

interface Violation {
  /** Null if the violation is not about one seller. */
  readonly seller_id: string | null;
  /** Id of the row that violates the invariant. */
  readonly subject: string;
  /** The figures that disagree. */
  readonly found: string;
}

export interface Finding {
  readonly id: string;
  readonly title: string;
  /** The number of violations. */
  readonly violations: number;
  readonly examples: readonly Violation[];
}

const EXAMPLES_MAX = 20;

const violationsOf = (text: string) =>
  statement({ total: bigint, seller_id: nullable(sqlText), subject: sqlText, found: sqlText })`
    select count(*) over () as total, seller_id, subject, found
      from (${raw(text)}) as wrong
     order by seller_id, subject, found
     limit ${EXAMPLES_MAX}`;

/** Runs each query. The caller passes one snapshot in the system's scope. */
export async function checkInvariants(db: Db, invariants: readonly Invariant[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id, title, text } of invariants) {
    const rows = await db.all(violationsOf(text));
    const examples = rows.map(({ seller_id, subject, found }) => ({ seller_id, subject, found }));
    findings.push({ id, title, violations: Number(rows[0]?.total ?? 0), examples });
  }
  return findings;
}

/** @param at when the audit ran, RFC 3339 */
export async function recordFindings(db: Db, findings: readonly Finding[], at: string): Promise<void> {
  await db.run(command`
    insert into ledger_audit (invariant, violations, examples, checked_at)
    select u.invariant, u.violations, u.examples::json, ${at}
      from unnest(${textArray(findings.map(({ id }) => id))}::text[],
                  ${bigintArray(findings.map(({ violations }) => BigInt(violations)))}::bigint[],
                  ${textArray(findings.map(({ examples }) => JSON.stringify(examples)))}::text[])
           as u (invariant, violations, examples)
        on conflict (invariant) do update
       set violations = excluded.violations, examples = excluded.examples, checked_at = excluded.checked_at`);
}

export const auditGauges: readonly GaugeDef[] = [
  {
    name: 'spp_ledger_violations',
    help: 'Rows that violate an invariant of the ledger, as the nightly audit found them; 0 where it holds',
    label: 'invariant',
    read: () => statement({ label: sqlText, value: float })`
      select invariant as label, violations::float8 as value
        from ledger_audit`,
  },
];
