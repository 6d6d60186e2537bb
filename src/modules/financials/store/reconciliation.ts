/** The last comparison with the provider, of an account or of payouts. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Check, ReasonCode } from '../domain/reconciliation.ts';

const COLUMNS =
  'provider, expected_minor, reported_minor, unmatched_count, reason_codes, data_through, checked_at';
// Of several providers the one that disagrees speaks first.
const ACCOUNT =
  `select ${COLUMNS} from reconciliation where seller_id = $1 and scope = 'account' and subject_id = '' ` +
  "and currency = $2 order by (reason_codes <> '{}') desc, data_through desc limit 1";
const PAYOUTS =
  `select subject_id, ${COLUMNS} from reconciliation where seller_id = $1 and scope = 'payout' ` +
  'and subject_id = any($2::text[])';

interface Row {
  readonly provider: string;
  readonly expected_minor: bigint;
  readonly reported_minor: bigint;
  readonly unmatched_count: number;
  readonly reason_codes: readonly ReasonCode[];
  readonly data_through: string;
  readonly checked_at: string;
}

const toCheck = ({ expected_minor, reported_minor, ...row }: Row): Check => ({
  ...row,
  expected: minor(expected_minor),
  reported: minor(reported_minor),
});

/** Of the seller's whole account in one currency. */
export async function accountCheck(db: Db, sellerId: string, currency: string): Promise<Check | undefined> {
  const row = await db.one<Row>(sql(ACCOUNT, [sellerId, currency]));
  return row === undefined ? undefined : toCheck(row);
}

/** Of payouts, by their ids. */
export async function payoutChecks(
  db: Db,
  sellerId: string,
  payoutIds: readonly string[],
): Promise<Map<string, Check>> {
  const rows = await db.all<Row & { readonly subject_id: string }>(
    sql(PAYOUTS, [sellerId, textArray(payoutIds)]),
  );
  return new Map(rows.map(({ subject_id, ...row }) => [subject_id, toCheck(row)]));
}
