/** Payouts: attempts to bring the amount of a settlement to the seller's bank. */

import type { Db } from '../../../kernel/context.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { INSTANT } from '../../../platform/db/instant.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type CheckRow, PAYOUT_CHECK } from '../../reconciliation/index.ts';
import type { LineTotals, PayoutStatus, StatusChange } from '../../settlements/index.ts';

export interface PayoutChange extends StatusChange {
  readonly source_event_id: string | null;
}

/** Instants are RFC 3339, days `YYYY-MM-DD`. */
export interface PayoutFields {
  readonly payout_id: string;
  readonly settlement_id: string;
  /** From 1 within its settlement. */
  readonly attempt: number;
  readonly retry_of: string | null;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly status: PayoutStatus;
  readonly provider: string;
  readonly provider_payout_id: string | null;
  readonly provider_transfer_id: string | null;
  readonly method: string;
  readonly destination: { readonly bank_name: string | null; readonly last4: string | null } | null;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly expected_arrival_on: string | null;
  readonly paid_at: string | null;
  readonly returned_at: string | null;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly payment_reference: string | null;
  readonly bank_reference: string | null;
  readonly bank_reference_status: 'pending' | 'supported' | 'unsupported';
}
export interface PayoutRow extends PayoutFields {
  readonly version: number;
  readonly status_history: readonly PayoutChange[];
  /** The last comparison with the provider; null without any. */
  readonly checked: CheckRow | null;
  /** Of the settlement: what was carried in and out, and its lines by type; amounts as JSON has them. */
  readonly settled: {
    readonly opening: number;
    readonly closing: number;
    readonly by_type: LineTotals['by_type'];
  };
}

const FIELDS =
  'p.payout_id, p.settlement_id, p.attempt, p.retry_of, p.amount_minor, p.currency, p.status, p.provider, p.provider_payout_id, ' +
  'p.provider_transfer_id, p.method, p.destination, p.created_at, p.sent_at, p.expected_arrival_on::text as expected_arrival_on, ' +
  'p.paid_at, p.returned_at, p.failure_code, p.failure_message, p.payment_reference, p.bank_reference, p.bank_reference_status';
const WHOLE =
  `${FIELDS}, p.version, coalesce((select json_agg(json_build_object('status', c.status, 'at', ${INSTANT('c.at')}, ` +
  "'actor', c.actor, 'reason', c.reason, 'source_event_id', c.source_event_id) order by c.number) from payout_change c " +
  "where c.seller_id = p.seller_id and c.payout_id = p.payout_id), '[]') as status_history, " +
  `${PAYOUT_CHECK} as checked, (select json_build_object('opening', s.opening_balance_minor, 'closing', s.closing_balance_minor, ` +
  "'by_type', s.by_type) from v_settlements_settlement s where s.seller_id = p.seller_id and s.settlement_id = p.settlement_id) as settled";

export interface PayoutFilter {
  readonly status?: readonly string[] | undefined;
  readonly settlement_id?: string | undefined;
  readonly currency?: string | undefined;
  /** Made at or after this instant, and before that one. */
  readonly created_since?: string | undefined;
  readonly created_before?: string | undefined;
}

/** Instant and id of the last row of the page before. */
export type PayoutPosition = readonly [created_at: string, payout_id: string];

function filtered(sellerId: string, filter: PayoutFilter): Conditions {
  const where = new Conditions();
  where.add((p) => `p.seller_id = ${p}`, sellerId);
  if (filter.status !== undefined) where.add((p) => `p.status = any(${p})`, filter.status);
  if (filter.settlement_id !== undefined) where.add((p) => `p.settlement_id = ${p}`, filter.settlement_id);
  if (filter.currency !== undefined) where.add((p) => `p.currency = ${p}`, filter.currency);
  if (filter.created_since !== undefined) where.add((p) => `p.created_at >= ${p}`, filter.created_since);
  if (filter.created_before !== undefined) where.add((p) => `p.created_at < ${p}`, filter.created_before);
  return where;
}

/** One page and one payout beyond it, the newest first. */
export function listPayouts(
  db: Db,
  sellerId: string,
  filter: PayoutFilter,
  after: PayoutPosition | undefined,
  limit: number,
): Promise<PayoutRow[]> {
  const where = filtered(sellerId, filter);
  if (after !== undefined)
    where.fixed(
      `(p.created_at, p.payout_id) < (${where.value(after[0])}::timestamptz, ${where.value(after[1])})`,
    );
  const order = 'order by p.created_at desc, p.payout_id desc';
  const page = `select p.* from payout p where ${where.text} ${order} limit ${where.value(limit + 1)}::int`;
  return db.all<PayoutRow>(sql(`select ${WHOLE} from (${page}) p ${order}`, where.values));
}

/** How many payouts a filter lets through. */
export async function countPayouts(db: Db, sellerId: string, filter: PayoutFilter): Promise<number> {
  const where = filtered(sellerId, filter);
  const counted = sql<{ count: number }>(
    `select count(*)::int as count from payout p where ${where.text}`,
    where.values,
  );
  return (await db.one(counted))?.count ?? 0;
}

const BY_ID = `select ${WHOLE} from payout p where p.seller_id = $1 and p.payout_id = $2`;
export function findPayout(db: Db, sellerId: string, payoutId: string): Promise<PayoutRow | undefined> {
  return db.one<PayoutRow>(sql(BY_ID, [sellerId, payoutId]));
}

const BY_PROVIDER = `select ${WHOLE} from payout p where p.seller_id = $1 and p.provider = $2 and p.provider_payout_id = $3`;
export function findByProviderId(
  db: Db,
  sellerId: string,
  provider: string,
  id: string,
): Promise<PayoutRow | undefined> {
  return db.one<PayoutRow>(sql(BY_PROVIDER, [sellerId, provider, id]));
}

const LAST = `select ${WHOLE} from payout p where p.seller_id = $1 and p.settlement_id = $2 order by p.attempt desc limit 1`;
export function lastPayoutOf(db: Db, sellerId: string, settlementId: string): Promise<PayoutRow | undefined> {
  return db.one<PayoutRow>(sql(LAST, [sellerId, settlementId]));
}

const WRITE =
  'insert into payout (seller_id, payout_id, settlement_id, attempt, retry_of, amount_minor, currency, status, provider, ' +
  'provider_payout_id, provider_transfer_id, method, destination, created_at, sent_at, expected_arrival_on, paid_at, returned_at, ' +
  'failure_code, failure_message, payment_reference, bank_reference, bank_reference_status, version, updated_at) values ' +
  `(${Array.from({ length: 23 }, (_, index) => `$${index + 1}`).join(', ')}, 1, $24) ` +
  'on conflict (seller_id, payout_id) do update set status = excluded.status, provider_payout_id = excluded.provider_payout_id, ' +
  'provider_transfer_id = excluded.provider_transfer_id, expected_arrival_on = excluded.expected_arrival_on, ' +
  'sent_at = excluded.sent_at, paid_at = excluded.paid_at, returned_at = excluded.returned_at, failure_code = excluded.failure_code, ' +
  'failure_message = excluded.failure_message, payment_reference = excluded.payment_reference, ' +
  'bank_reference = excluded.bank_reference, bank_reference_status = excluded.bank_reference_status, ' +
  'version = payout.version + 1, updated_at = excluded.updated_at';

/** Adds a payout, or writes what has changed of one. */
export async function writePayout(db: Db, sellerId: string, row: PayoutFields, at: string): Promise<void> {
  await db.run(
    sql(WRITE, [
      sellerId,
      row.payout_id,
      row.settlement_id,
      row.attempt,
      row.retry_of,
      row.amount_minor,
      row.currency,
      row.status,
      row.provider,
      row.provider_payout_id,
      row.provider_transfer_id,
      row.method,
      row.destination === null ? null : JSON.stringify(row.destination),
      row.created_at,
      row.sent_at,
      row.expected_arrival_on,
      row.paid_at,
      row.returned_at,
      row.failure_code,
      row.failure_message,
      row.payment_reference,
      row.bank_reference,
      row.bank_reference_status,
      at,
    ]),
  );
}

const CHANGE =
  'insert into payout_change (seller_id, payout_id, number, status, at, actor, reason, source_event_id) ' +
  'select $1::text, $2::text, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7 from payout_change where seller_id = $1 and payout_id = $2';

export async function addPayoutChange(
  db: Db,
  sellerId: string,
  payoutId: string,
  { status, at, actor, reason, source_event_id }: PayoutChange,
): Promise<void> {
  await db.run(sql(CHANGE, [sellerId, payoutId, status, at, actor, reason, source_event_id]));
}

const FOLLOWED =
  "select seller_id, payout_id from payout where provider = $1 and provider_payout_id is not null and (status = 'in_transit' " +
  "or (status = 'paid' and paid_at >= $2::timestamptz)) and (seller_id, payout_id) > ($3, $4) order by seller_id, payout_id limit $5::int";

export interface FollowedPayout {
  readonly seller_id: string;
  readonly payout_id: string;
}

/** Payouts of a provider that may still change: on their way, or paid since an instant; in the system's scope. */
export function followedPayouts(
  db: Db,
  provider: string,
  paidSince: string,
  after: FollowedPayout | undefined,
  limit: number,
): Promise<FollowedPayout[]> {
  const values = [provider, paidSince, after?.seller_id ?? '', after?.payout_id ?? '', limit];
  return db.all<FollowedPayout>(sql(FOLLOWED, values));
}

export interface PayoutSum {
  /** A status, or a month `YYYY-MM` in Sydney. */
  readonly key: string;
  readonly payout_count: number;
  readonly amount_minor: bigint;
}

const GROUPS = {
  status: 'p.status',
  // Of the day on which it was paid.
  month: "to_char(p.paid_at at time zone 'Australia/Sydney', 'YYYY-MM')",
} as const;
export type PayoutGroup = keyof typeof GROUPS;

/** Counts and sums: by status of all payouts, by month of those that are paid. */
export function sumPayouts(
  db: Db,
  sellerId: string,
  currency: string,
  group: PayoutGroup,
): Promise<PayoutSum[]> {
  const only = group === 'month' ? " and p.status = 'paid'" : '';
  const text =
    `select ${GROUPS[group]} as key, count(*)::int as payout_count, sum(p.amount_minor)::bigint as amount_minor ` +
    `from payout p where p.seller_id = $1 and p.currency = $2${only} group by 1 order by 1`;
  return db.all<PayoutSum>(sql(text, [sellerId, currency]));
}
