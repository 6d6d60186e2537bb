/** Payouts: attempts to bring the amount of a settlement to the seller's bank. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  date,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { type CheckRow, PAYOUT_CHECK } from '../../reconciliation/index.ts';
import {
  type LineTotals,
  type PayoutStatus,
  type StatusChange,
  statusHistory,
} from '../../settlements/index.ts';

interface PayoutChange extends StatusChange {
  readonly source_event_id: string | null;
}

const payouts = defineTable('payout', ['payout_id'], {
  payout_id: text,
  settlement_id: text,
  /** Counts the payouts of the settlement from 1. */
  attempt: integer,
  retry_of: nullable(text),
  amount_minor: money,
  currency: text,
  status: textOf<PayoutStatus>(),
  provider: text,
  provider_payout_id: nullable(text),
  provider_transfer_id: nullable(text),
  method: text,
  destination: nullable(json<{ readonly bank_name: string | null; readonly last4: string | null }>('json')),
  created_at: instant,
  sent_at: nullable(instant),
  expected_arrival_on: nullable(date),
  paid_at: nullable(instant),
  returned_at: nullable(instant),
  failure_code: nullable(text),
  failure_message: nullable(text),
  payment_reference: nullable(text),
  bank_reference: nullable(text),
  bank_reference_status: textOf<'pending' | 'supported' | 'unsupported'>(),
  version: integer,
  updated_at: instant,
});
/** A payout. One with version 0 is not stored yet. */
export type PayoutFields = Omit<RowIn<typeof payouts>, 'updated_at'>;
const history = statusHistory<PayoutChange>('payout_change', 'payout_id', ['source_event_id']);

const { updated_at: _, ...shown } = payouts.columns;
const whole = {
  ...shown,
  status_history: json<readonly PayoutChange[]>(),
  /** The last comparison with the provider; null if there was none. */
  checked: nullable(json<CheckRow>()),
  /** The balances that the settlement carries in and out, and its lines by type. Amounts are JSON numbers. */
  settled: json<{
    readonly opening: number;
    readonly closing: number;
    readonly by_type: LineTotals['by_type'];
  }>(),
};
export type PayoutRow = RowOf<typeof whole>;

const WHOLE = part`
  ${raw(
    Object.keys(shown)
      .map((name) => `p.${name}`)
      .join(', '),
  )},
  ${history.of('p')} as status_history,
  ${PAYOUT_CHECK} as checked,
  (select json_build_object('opening', s.opening_balance_minor, 'closing', s.closing_balance_minor,
                            'by_type', s.by_type)
     from v_settlements_settlement s
    where s.seller_id = p.seller_id and s.settlement_id = p.settlement_id) as settled`;

export interface PayoutFilter {
  readonly status?: readonly string[] | undefined;
  readonly settlement_id?: string | undefined;
  readonly currency?: string | undefined;
  /** Payouts that were made at this instant or later, and before `before`. */
  readonly created_since?: string | undefined;
  readonly created_before?: string | undefined;
}

/** The instant and the id of the last row of the previous page. */
export type PayoutPosition = readonly [created_at: string, payout_id: string];

const matches = (sellerId: string, filter: PayoutFilter): Part =>
  allOf(
    part`p.seller_id = ${sellerId}`,
    filter.status !== undefined && part`p.status = any(${textArray(filter.status)}::text[])`,
    filter.settlement_id !== undefined && part`p.settlement_id = ${filter.settlement_id}`,
    filter.currency !== undefined && part`p.currency = ${filter.currency}`,
    filter.created_since !== undefined && part`p.created_at >= ${filter.created_since}`,
    filter.created_before !== undefined && part`p.created_at < ${filter.created_before}`,
  );

/** One page of payouts and one more, the newest first. The page is cut before other tables are read. */
export function listPayouts(
  { db, seller_id }: SellerDb,
  filter: PayoutFilter,
  after: PayoutPosition | undefined,
  limit: number,
): Promise<PayoutRow[]> {
  const behind = after && part`(p.created_at, p.payout_id) < (${after[0]}::timestamptz, ${after[1]})`;
  const order = part`order by p.created_at desc, p.payout_id desc`;
  return db.all(statement(whole)`
    select ${WHOLE}
      from (select p.*
              from payout p
             where ${allOf(matches(seller_id, filter), behind)}
             ${order}
             limit ${limit + 1}::int) p
    ${order}`);
}

/** The number of payouts that match a filter. */
export async function countPayouts({ db, seller_id }: SellerDb, filter: PayoutFilter): Promise<number> {
  const row = await db.one(statement({ count: integer })`
    select count(*)::int as count
      from payout p
     where ${matches(seller_id, filter)}`);
  return row?.count ?? 0;
}

const payoutWhere = ({ db, seller_id }: SellerDb, tail: Part): Promise<PayoutRow | undefined> =>
  db.one(statement(whole)`
    select ${WHOLE}
      from payout p
     where p.seller_id = ${seller_id}
       and ${tail}`);

export const findPayout = (at: SellerDb, payoutId: string) =>
  payoutWhere(at, part`p.payout_id = ${payoutId}`);

export const findByProviderId = (at: SellerDb, provider: string, id: string) =>
  payoutWhere(at, part`p.provider = ${provider} and p.provider_payout_id = ${id}`);

export const lastPayoutOf = (at: SellerDb, settlementId: string) =>
  payoutWhere(at, part`p.settlement_id = ${settlementId} order by p.attempt desc limit 1`);

/**
 * Inserts a payout with version 0, and updates any other. The caller holds the lock of the ledger.
 */
export async function writePayout(at: SellerDb & { at(): string }, payout: PayoutFields): Promise<void> {
  const row = { ...payout, version: payout.version + 1, updated_at: at.at() };
  const written = row.version === 1 ? await payouts.insert(at, row) : await payouts.replace(at, row);
  if (!written) throw new Error(`payout ${payout.payout_id} could not be written`);
}

export const addPayoutChange = (at: SellerDb, payoutId: string, change: PayoutChange): Promise<void> =>
  history.add(at, payoutId, change);

const followed = { seller_id: text, payout_id: text };
export type FollowedPayout = RowOf<typeof followed>;

/**
 * One page of a provider's payouts that may still change: those in transit, and those paid since an instant. It runs in
 * the system's scope.
 */
export const followedPayouts = (
  db: Db,
  provider: string,
  paidSince: string,
  after: FollowedPayout | undefined,
  limit: number,
): Promise<FollowedPayout[]> =>
  db.all(statement(followed)`
    select seller_id, payout_id
      from payout
     where provider = ${provider}
       and provider_payout_id is not null
       and (status = 'in_transit' or (status = 'paid' and paid_at >= ${paidSince}::timestamptz))
       and (seller_id, payout_id) > (${after?.seller_id ?? ''}, ${after?.payout_id ?? ''})
     order by seller_id, payout_id
     limit ${limit}::int`);

/** The key is a status, or a month `YYYY-MM` in Sydney. */
const payoutSum = { key: text, payout_count: integer, amount_minor: money };
type PayoutSum = RowOf<typeof payoutSum>;

/** Payouts by status. */
export const sumByStatus = ({ db, seller_id }: SellerDb, currency: string): Promise<PayoutSum[]> =>
  db.all(statement(payoutSum)`
    select p.status as key, count(*)::int as payout_count, sum(p.amount_minor)::bigint as amount_minor
      from payout p
     where p.seller_id = ${seller_id}
       and p.currency = ${currency}
     group by 1
     order by 1`);

/** Paid payouts, by the month of the payment. */
export const sumByMonth = ({ db, seller_id }: SellerDb, currency: string): Promise<PayoutSum[]> =>
  db.all(statement(payoutSum)`
    select to_char(p.paid_at at time zone 'Australia/Sydney', 'YYYY-MM') as key, count(*)::int as payout_count,
           sum(p.amount_minor)::bigint as amount_minor
      from payout p
     where p.seller_id = ${seller_id}
       and p.currency = ${currency}
       and p.status = 'paid'
     group by 1
     order by 1`);
