/** The last comparison with the provider, of an account or of payouts. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { INSTANT } from '../../../platform/db/instant.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Check, ReasonCode } from '../domain/reconciliation.ts';

// Of several providers the one that disagrees speaks first.
const LAST_LOOK = "order by (r.reason_codes <> '{}') desc, r.data_through desc limit 1";
/** A provider that has nothing new of a seller is not silent: what it has of others says until when it is known. */
const THROUGH =
  '(select greatest(r.data_through, max(g.data_through)) from provider_progress g where g.provider = r.provider)';
const ACCOUNT =
  `select r.provider, r.expected_minor, r.reported_minor, r.unmatched_count, r.reason_codes, r.awaited_codes, ${THROUGH} as data_through, ` +
  'r.checked_at ' +
  `from reconciliation r where r.seller_id = $1 and r.scope = 'account' and r.subject_id = '' and r.currency = $2 ${LAST_LOOK}`;

export interface CheckRow {
  readonly provider: string;
  /** A number where it stands inside JSON. */
  readonly expected_minor: bigint | number;
  readonly reported_minor: bigint | number;
  readonly unmatched_count: number;
  readonly reason_codes: readonly ReasonCode[];
  readonly awaited_codes: readonly ReasonCode[];
  readonly data_through: string;
  readonly checked_at: string;
}

/** Undefined: never compared. */
export function checkOf(row: CheckRow | null | undefined): Check | undefined {
  if (row == null) return undefined;
  const { expected_minor, reported_minor, ...check } = row;
  return { ...check, expected: minor(expected_minor), reported: minor(reported_minor) };
}

/** Of the seller's whole account in one currency. */
export async function accountCheck(db: Db, sellerId: string, currency: string): Promise<Check | undefined> {
  return checkOf(await db.one<CheckRow>(sql(ACCOUNT, [sellerId, currency])));
}

/** The last look at a payout `p`, as JSON. */
export const PAYOUT_CHECK =
  "(select json_build_object('provider', r.provider, 'expected_minor', r.expected_minor, 'reported_minor', r.reported_minor, " +
  "'unmatched_count', r.unmatched_count, 'reason_codes', r.reason_codes, 'awaited_codes', r.awaited_codes, " +
  `'data_through', ${INSTANT(THROUGH)}, 'checked_at', ${INSTANT('r.checked_at')}) ` +
  "from reconciliation r where r.seller_id = p.seller_id and r.scope = 'payout' and r.subject_id = p.payout_id " +
  `${LAST_LOOK})`;
