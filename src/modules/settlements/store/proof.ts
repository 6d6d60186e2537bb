/** The facts for the proof of a settlement. Each is read from the table in which it was first written. */

import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { PayoutStatus } from '../domain/payout-status.ts';
import { SEAL } from './lines.ts';

const linesOf = (sellerId: string, settlementId: string): Part => part`
  settlement_line l
  join v_ledger_entry e on e.seller_id = l.seller_id and e.entry_id = l.entry_id
 where l.seller_id = ${sellerId} and l.settlement_id = ${settlementId}`;

const proofOrder = {
  order_id: text,
  /** Null for an order that only the ledger knows, and for lines without an order. */
  order_number: nullable(text),
  amount_minor: money,
  line_count: integer,
};
/** An order of a settlement, with amounts from the seller's side. Lines without an order have an empty id. */
export type ProofOrder = RowOf<typeof proofOrder>;

/** One page of orders and one more, by id. The first page begins with the lines without an order. */
export async function proofOrders(
  { db, seller_id }: SellerDb,
  settlementId: string,
  after: string | undefined,
  limit: number,
): Promise<ProofOrder[]> {
  const lines = linesOf(seller_id, settlementId);
  const withoutOrder =
    after === undefined
      ? await db.all(statement(proofOrder)`
          select '' as order_id, null as order_number, (-sum(e.amount_minor))::bigint as amount_minor, count(*)::int as line_count
            from ${lines} and e.order_id is null
          having count(*) > 0`)
      : [];
  const withOrder = await db.all(statement(proofOrder)`
    select o.order_id, n.order_number, o.amount_minor, o.line_count
      from (select coalesce(e.order_id, '') as order_id, (-sum(e.amount_minor))::bigint as amount_minor,
                   count(*)::int as line_count
              from ${lines} and coalesce(e.order_id, '') > ${after ?? ''}
             group by 1
             order by 1
             limit ${limit + 1}::int) o
      left join v_orders_sold n on n.seller_id = ${seller_id} and n.order_id = o.order_id
     order by o.order_id`);
  return [...withoutOrder, ...withOrder];
}

const proofEntry = {
  transaction_id: text,
  journal_id: text,
  order_id: text,
  order_line_id: nullable(text),
  row_no: integer,
  type: text,
  amount_minor: money,
};
export type ProofEntry = RowOf<typeof proofEntry>;

/** The lines of some orders, in the order of the statement. */
export const proofEntries = (
  { db, seller_id }: SellerDb,
  settlementId: string,
  orderIds: readonly string[],
): Promise<ProofEntry[]> =>
  db.all(statement(proofEntry)`
    select e.entry_id as transaction_id, e.journal_id, coalesce(e.order_id, '') as order_id, e.order_line_id,
           l.row_no, e.type, -e.amount_minor as amount_minor
      from ${linesOf(seller_id, settlementId)} and coalesce(e.order_id, '') = any(${textArray(orderIds)}::text[])
     order by l.row_no`);

const proofFact = {
  /** The balance that the previous period has carried out; zero for the first period. */
  carried_in_minor: money,
  /** The amount that the close has moved out of the statement. */
  posted_payout_minor: money,
  payouts:
    json<
      readonly {
        readonly payout_id: string;
        readonly attempt: number;
        readonly status: PayoutStatus;
        readonly amount_minor: number;
        /** The amount that the ledger has in transit, and the amount that was taken from the provider. */
        readonly in_transit_minor: number;
        readonly paid_minor: number;
      }[]
    >(),
  /** The first journal of its lines that does not balance, and the sum of that journal. */
  unbalanced_journal: nullable(text),
  unbalanced_minor: nullable(bigint),
};

/** The sum of a payout's journals on an account, found by their keys. */
const postedOn = (sellerId: string, account: string): Part => part`
  (select coalesce(-sum(e.amount_minor), 0)
     from v_ledger_journal j
     join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
    where j.seller_id = ${sellerId}
      and j.idempotency_key in ('payout_sent:' || p.payout_id, 'payout_paid:' || p.payout_id,
                                'payout_failed:' || p.payout_id, 'payout_returned:' || p.payout_id)
      and e.account = ${account})`;

/** The facts of the ledger and of the payouts about a settlement. */
export async function proofFacts(
  { db, seller_id }: SellerDb,
  settlementId: string,
): Promise<RowOf<typeof proofFact>> {
  const row = await db.one(statement(proofFact)`
    select coalesce((select b.closing_balance_minor
                       from settlement b
                      where b.seller_id = ${seller_id} and b.currency = s.currency
                        and b.period_start < s.period_start
                      order by b.period_start desc
                      limit 1), 0) as carried_in_minor,
           (select coalesce(-sum(e.amount_minor), 0)::bigint
              from v_ledger_journal j
              join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id
             where j.seller_id = ${seller_id}
               and j.idempotency_key = 'settlement_closed:' || s.settlement_id
               and e.account = 'seller_settled') as posted_payout_minor,
           (select coalesce(json_agg(json_build_object(
                     'payout_id', p.payout_id, 'attempt', p.attempt, 'status', p.status,
                     'amount_minor', p.amount_minor,
                     'in_transit_minor', ${postedOn(seller_id, 'seller_in_transit')},
                     'paid_minor', ${postedOn(seller_id, 'provider_clearing')}) order by p.attempt), '[]')
              from v_payouts_payout p
             where p.seller_id = ${seller_id} and p.settlement_id = s.settlement_id) as payouts,
           u.journal_id as unbalanced_journal, u.amount as unbalanced_minor
      from settlement s
      left join lateral (select a.journal_id, sum(a.amount_minor)::bigint as amount
                           from v_ledger_entry a
                          where a.seller_id = ${seller_id}
                            and a.journal_id in (select e.journal_id from ${linesOf(seller_id, settlementId)})
                          group by a.journal_id, a.currency
                         having sum(a.amount_minor) <> 0
                          order by 1
                          limit 1) u on true
     where s.seller_id = ${seller_id}
       and s.settlement_id = ${settlementId}`);
  if (row === undefined) throw new Error(`settlement ${settlementId} is gone`);
  return row;
}

const suspect = {
  entry_id: text,
  problem: textOf<'changed' | 'added' | 'missing'>(),
  order_id: nullable(text),
  row_no: nullable(integer),
  type: nullable(text),
  amount: nullable(money),
  /** The number of lines that differ. */
  count: integer,
};

/**
 * The first line of the statement that differs from what was settled: it was changed, removed or added since, or it is
 * not in the period to which it belongs.
 */
export const firstSuspect = (
  { db, seller_id }: SellerDb,
  settlementId: string,
): Promise<RowOf<typeof suspect> | undefined> => {
  const own = (alias: string) =>
    part`${raw(alias)}.seller_id = ${seller_id} and ${raw(alias)}.settlement_id = ${settlementId}`;
  return db.one(statement(suspect)`
    with suspect as (
      select l.entry_id, 'changed' as problem, e.order_id, l.row_no, e.type, -e.amount_minor as amount, e.position
        from settlement_line l
        left join lateral (select x.*, ${SEAL} as seal
                             from v_ledger_entry x
                            where x.seller_id = l.seller_id and x.entry_id = l.entry_id) e on true
       where ${own('l')}
         and (e.entry_id is null or (l.seal is not null and e.seal is distinct from l.seal))
       union all
      select l.entry_id, 'added', e.order_id, l.row_no, e.type, -e.amount_minor, e.position
        from settlement s
        join settlement_line l on l.seller_id = s.seller_id and l.settlement_id = s.settlement_id
        join v_ledger_entry e on e.seller_id = l.seller_id and e.entry_id = l.entry_id
       where ${own('s')}
         and (e.position > s.ledger_position or e.available_on > s.period_end or e.currency <> s.currency)
       union all
      select e.entry_id, 'missing', e.order_id, null, e.type, -e.amount_minor, e.position
        from settlement s
        join v_ledger_entry e on e.seller_id = s.seller_id and e.currency = s.currency and e.bucket is not null
         and e.available_on between s.period_start and s.period_end
       where ${own('s')}
         and not exists (select
                           from settlement_line l
                          where l.seller_id = e.seller_id and l.entry_id = e.entry_id
                            and l.settlement_id = ${settlementId}))
    select entry_id, problem, order_id, row_no, type, amount, (count(*) over ())::int as count
      from suspect
     order by row_no nulls last, position
     limit 1`);
};
