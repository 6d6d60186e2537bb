/** The invariants of the ledger, the closed settlements and the reserves. Source: docs/design/money.md#invariants. */
import { DELIVERY_LIST, type Invariant } from '../../ledger/index.ts';

export const SETTLEMENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'I05',
    title: 'A line is in at most one settlement, of its seller and currency, and not before it is available',
    text: `
      select seller_id, entry_id as subject, format('%s settlements', count(*)) as found
      from settlement_line group by seller_id, entry_id having count(*) > 1
      union all
      select l.seller_id, l.entry_id, format('in %s', l.settlement_id)
      from settlement_line l
      left join v_ledger_entry e using (seller_id, entry_id) left join settlement s using (seller_id, settlement_id)
      where e.entry_id is null or s.settlement_id is null or e.bucket is null or e.account <> 'seller_payable'
        or e.currency <> s.currency or e.available_on > s.period_end`,
  },
  {
    id: 'I06',
    title: 'A settlement is the sum of its lines',
    text: `
      select s.seller_id, s.settlement_id as subject,
        format('gross %s, fees %s, adjustments %s, reserve %s, %s lines', l.gross, l.fees, l.adjustments, l.reserve, l.lines) as found
      from settlement s left join (
        select seller_id, settlement_id, count(*) as lines,
          -coalesce(sum(amount_minor) filter (where bucket = 'gross'), 0) as gross,
          coalesce(sum(amount_minor) filter (where bucket = 'fees'), 0) as fees,
          -coalesce(sum(amount_minor) filter (where bucket = 'adjustments'), 0) as adjustments,
          -coalesce(sum(amount_minor) filter (where bucket = 'reserve'), 0) as reserve,
          count(distinct order_id) filter (where type in ${DELIVERY_LIST}) as orders
        from settlement_line join v_ledger_entry using (seller_id, entry_id) group by seller_id, settlement_id) as l
      using (seller_id, settlement_id)
      where (s.gross_amount_minor, s.fees_minor, s.adjustments_minor, s.reserve_change_minor, s.line_count, s.order_count)
        is distinct from (coalesce(l.gross, 0), coalesce(l.fees, 0), coalesce(l.adjustments, 0),
          coalesce(l.reserve, 0), coalesce(l.lines, 0), coalesce(l.orders, 0))`,
  },
  {
    id: 'I07',
    title: 'Net is gross less fees plus adjustments; the payable amount is paid out or carried',
    text: `
      select seller_id, settlement_id as subject,
        format('net %s, payable %s, payout %s, closing %s', net_amount_minor, payable_amount_minor, payout_amount_minor,
          closing_balance_minor) as found
      from settlement
      where net_amount_minor <> gross_amount_minor - fees_minor + adjustments_minor
        or payable_amount_minor <> opening_balance_minor + net_amount_minor + reserve_change_minor
        or payout_amount_minor + closing_balance_minor <> payable_amount_minor or payout_amount_minor < 0`,
  },
  {
    id: 'I08',
    title: 'A settlement opens with the balance that the one before carried, on the day after it',
    text: `
      select seller_id, settlement_id as subject,
        format('opens on %s with %s after %s, %s', period_start, opening_balance_minor, last_end, carried) as found
      from (
        select seller_id, settlement_id, period_start, opening_balance_minor, lag(period_end) over before as last_end,
          lag(closing_balance_minor) over before as carried
        from settlement window before as (partition by seller_id, currency order by period_start, period_end)) as s
      where opening_balance_minor <> coalesce(carried, 0) or period_start <> coalesce(last_end + 1, period_start)`,
  },
  {
    id: 'I09',
    title: 'No closed period leaves out an available line',
    text: `
      select e.seller_id, e.entry_id as subject, format('available on %s, closed through %s', e.available_on, c.through) as found
      from (select seller_id, currency, max(period_end) as through from settlement group by seller_id, currency) as c
      join v_ledger_entry e on e.seller_id = c.seller_id and e.currency = c.currency and e.available_on <= c.through
      where e.bucket is not null and not exists (
        select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id)`,
  },
  {
    id: 'I22',
    title: 'The payable balance is the last carried balance plus the lines that are not settled',
    text: `
      select seller_id, currency as subject, format('payable %s, carried on %s, not settled %s', sum(payable), sum(carried), sum(open)) as found
      from (
        select e.seller_id, e.currency, -e.amount_minor as payable, 0::bigint as carried,
          case when e.bucket is null or exists (
            select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id)
            then 0 else -e.amount_minor end as open
        from v_ledger_entry e where e.account = 'seller_payable'
        union all
        select * from (
          select distinct on (seller_id, currency) seller_id, currency, 0::bigint, closing_balance_minor, 0::bigint
          from settlement order by seller_id, currency, period_end desc) as newest) as parts
      group by seller_id, currency having sum(payable) <> sum(carried) + sum(open)`,
  },
  {
    id: 'S04',
    title: 'The remainders of the reserves agree with the ledger',
    text: `
      select seller_id, currency as subject, format('%s in the ledger, %s in the records', sum(held), sum(known)) as found
      from (
        select seller_id, currency, -amount_minor as held, 0::bigint as known from v_ledger_entry where account = 'seller_reserve'
        union all
        select seller_id, currency, 0, amount_minor - released_minor from reserve) as both_sides
      group by seller_id, currency having sum(held) <> sum(known)`,
  },
];
