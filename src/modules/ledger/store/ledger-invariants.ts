/**
 * The invariants of the ledger itself: each query returns what violates it.
 * Source: docs/design/money.md#invariants.
 */
import { DELIVERY_LIST } from '../domain/entry-types.ts';
import type { Invariant } from './invariants.ts';

/** The amounts of an order line that were taken from the seller, less the amounts that the seller got back. */
const TAKEN = "type in ('refund', 'refund_reversal', 'chargeback', 'chargeback_reversal')";

const LIABILITIES =
  "('order_escrow', 'seller_reserve', 'seller_settled', 'seller_in_transit', 'buyer_refunds_payable', 'loyalty_fund')";

export const LEDGER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'I01',
    title: 'Every journal sums to zero in each currency',
    text: `
      select seller_id, journal_id as subject, format('%s %s', sum(amount_minor), currency) as found
      from ledger_entry group by seller_id, journal_id, currency having sum(amount_minor) <> 0`,
  },
  {
    id: 'I02',
    title: 'The ledger sums to zero in each currency',
    text: `
      select null as seller_id, currency as subject, format('%s', sum(amount_minor)) as found
      from ledger_entry group by currency having sum(amount_minor) <> 0`,
  },
  {
    id: 'I03',
    title: 'Every journal has at least two legs in one currency, and no leg of zero',
    text: `
      select j.seller_id, j.journal_id as subject,
        format('%s legs, %s currencies, %s of zero', count(e.entry_id), count(distinct e.currency),
          count(*) filter (where e.amount_minor = 0)) as found
      from ledger_journal j left join ledger_entry e using (seller_id, journal_id)
      group by j.seller_id, j.journal_id
      having count(e.entry_id) < 2 or count(distinct e.currency) > 1 or count(*) filter (where e.amount_minor = 0) > 0`,
  },
  {
    id: 'I04',
    title: 'No fact is posted twice',
    text: `
      select seller_id, idempotency_key as subject, format('%s journals', count(*)) as found
      from ledger_journal group by seller_id, idempotency_key having count(*) > 1`,
  },
  {
    id: 'I13',
    title: 'Refunds and chargebacks of a line are not below zero and not above the sale of the line',
    text: `
      select seller_id, order_line_id as subject, format('%s of %s', taken, sold) as found from (
        select seller_id, order_line_id, coalesce(sum(amount_minor) filter (where ${TAKEN}), 0) as taken,
          -coalesce(sum(amount_minor) filter (where bucket = 'gross'), 0) as sold
        from ledger_entry where order_line_id is not null and bucket in ('gross', 'adjustments')
        group by seller_id, order_line_id) as line
      where taken < 0 or taken > sold
      union all
      select seller_id, order_line_id, format('sold %s of %s', sold, net_minor) from (
        select seller_id, order_line_id, -sum(amount_minor) as sold from ledger_entry
        where order_line_id is not null and bucket = 'gross' group by seller_id, order_line_id) as sale
      join v_orders_units using (seller_id, order_line_id) where sold > net_minor`,
  },
  {
    id: 'I14',
    title: 'Credits of a fee are not below zero and not above the fee',
    text: `
      select seller_id, coalesce(order_line_id, order_id) as subject, format('%s: %s of %s', fee, given, charged) as found
      from (
        select seller_id, order_id, order_line_id, regexp_replace(type, '_credit(_reversal)?$', '') as fee,
          coalesce(sum(amount_minor) filter (where type !~ '_credit'), 0) as charged,
          -coalesce(sum(amount_minor) filter (where type ~ '_credit'), 0) as given
        from ledger_entry where bucket = 'fees' group by seller_id, order_id, order_line_id, fee) as line
      where given < 0 or given > charged`,
  },
  {
    id: 'I15',
    title: 'The escrow of an order is not below zero, and zero after the order has ended',
    text: `
      select e.seller_id, e.order_id as subject, format('%s %s', e.held, e.currency) as found from (
        select seller_id, order_id, currency, -sum(amount_minor) as held from ledger_entry
        where account = 'order_escrow' group by seller_id, order_id, currency having sum(amount_minor) <> 0) as e
      where e.held < 0 or not exists (
        select from v_orders_units u where u.seller_id = e.seller_id and u.order_id = e.order_id and u.open_units > 0)`,
  },
  {
    id: 'I16',
    title: 'No entry is a rounding difference',
    text: `
      select seller_id, entry_id as subject, format('%s %s', amount_minor, currency) as found
      from ledger_entry where account = 'rounding'`,
  },
  {
    id: 'I17',
    title: 'A journal is reversed at most once, by its mirror image',
    text: `
      select seller_id, reverses_journal_id as subject, format('by %s journals', count(*)) as found
      from ledger_journal where reverses_journal_id is not null
      group by seller_id, reverses_journal_id having count(*) > 1
      union all
      select r.seller_id, r.journal_id, format('%s is left on %s', sum(e.amount_minor), e.account)
      from ledger_journal r join ledger_entry e
        on e.seller_id = r.seller_id and e.journal_id in (r.journal_id, r.reverses_journal_id)
      where r.reverses_journal_id is not null
      group by r.seller_id, r.journal_id, e.account, e.currency, e.order_line_id having sum(e.amount_minor) <> 0`,
  },
  {
    id: 'I20',
    title: 'Seller, journal, order and line of an entry belong together',
    text: `
      select e.seller_id, e.entry_id as subject, format('journal %s is not of this seller', e.journal_id) as found
      from ledger_entry e left join ledger_journal j using (seller_id, journal_id) where j.journal_id is null
      union all
      select e.seller_id, e.entry_id, format('order %s, journal of %s', e.order_id, j.order_id)
      from ledger_entry e join ledger_journal j using (seller_id, journal_id)
      where e.order_id is distinct from j.order_id
      union all
      select e.seller_id, e.entry_id, format('line %s is not of order %s', e.order_line_id, e.order_id)
      from ledger_entry e left join v_orders_units u using (seller_id, order_line_id)
      where e.order_line_id is not null and u.order_id is distinct from e.order_id
      union all
      select j.seller_id, j.journal_id, format('order %s is not of this seller', j.order_id)
      from ledger_journal j where j.order_id is not null and not exists (
        select from v_orders_units u where u.seller_id = j.seller_id and u.order_id = j.order_id)`,
  },
  {
    id: 'I21',
    title: 'No account that the marketplace owes is below zero, except seller_payable',
    text: `
      select seller_id, account as subject, format('%s %s', -sum(amount_minor), currency) as found
      from ledger_entry where account in ${LIABILITIES}
      group by seller_id, account, currency having sum(amount_minor) > 0`,
  },
  // The sums that triggers update.
  {
    id: 'S01',
    title: 'The sums by day are those of the entries',
    text: `
      select seller_id, format('%s %s %s', posted_on, account, type) as subject,
        format('%s cents, %s entries, %s orders too much', sum(amount), sum(count), sum(firsts)) as found
      from (
        select seller_id, currency, posted_on, account, kind, type, available_on, amount_minor as amount, entries as count,
          first_sales as firsts
        from ledger_day
        union all
        select e.seller_id, e.currency, e.posted_on, e.account, j.kind, coalesce(e.type, ''),
          coalesce(e.available_on, e.posted_on), -sum(e.amount_minor), -count(*), -count(f.position)
        from ledger_entry e join ledger_journal j using (seller_id, journal_id) left join (
          select seller_id, order_id, min(position) as position from ledger_entry
          where type in ${DELIVERY_LIST}
          group by seller_id, order_id) as f
          on f.seller_id = e.seller_id and f.order_id = e.order_id and f.position = e.position
        group by 1, 2, 3, 4, 5, 6, 7) as both_sides
      group by seller_id, currency, posted_on, account, kind, type, available_on
      having sum(amount) <> 0 or sum(count) <> 0 or sum(firsts) <> 0`,
  },
  {
    id: 'S02',
    title: 'The sums by month are those of the days',
    text: `
      select seller_id, format('%s %s %s', month, account, type) as subject,
        format('%s cents, %s entries, %s orders too much', sum(amount), sum(count), sum(firsts)) as found
      from (
        select seller_id, currency, month, account, kind, type, amount_minor as amount, entries as count, first_sales as firsts
        from ledger_month
        union all
        select seller_id, currency, date_trunc('month', posted_on)::date, account, kind, type, -amount_minor, -entries, -first_sales
        from ledger_day) as both_sides
      group by seller_id, currency, month, account, kind, type
      having sum(amount) <> 0 or sum(count) <> 0 or sum(firsts) <> 0`,
  },
  {
    id: 'S03',
    title: 'The list of orders with a later delivery agrees with the entries',
    text: `
      select seller_id, order_id as subject, format('%s: %s', available_on, case when sum(n) > 0 then 'no such delivery' else 'left out' end) as found
      from (
        select seller_id, currency, available_on, order_id, 1 as n from ledger_later_sale
        union all
        select distinct e.seller_id, e.currency, e.available_on, e.order_id, -1 from ledger_entry e join (
          select distinct on (seller_id, order_id) seller_id, order_id, journal_id from ledger_entry
          where type in ${DELIVERY_LIST} and order_id is not null order by seller_id, order_id, position) as f
          on f.seller_id = e.seller_id and f.order_id = e.order_id and f.journal_id <> e.journal_id
        where e.type in ${DELIVERY_LIST}) as both_sides
      group by seller_id, currency, available_on, order_id having sum(n) <> 0`,
  },
];
