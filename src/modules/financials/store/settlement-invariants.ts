import type { Invariant } from '../../ledger/index.ts';

/**
 * What must hold between the ledger and what was closed, paid, invoiced and matched.
 * Source: docs/design/money.md#invariants.
 */

/** What the marketplace still owes a seller, on whichever account it stands. */
const OWED = "('seller_payable', 'seller_reserve', 'seller_settled', 'seller_in_transit')";
/** Attempts after which the money is gone, or may be. */
const LIVE = "('pending', 'in_transit', 'paid')";

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
      left join ledger_entry e using (seller_id, entry_id) left join settlement s using (seller_id, settlement_id)
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
          count(distinct order_id) filter (where type = 'sale') as orders
        from settlement_line join ledger_entry using (seller_id, entry_id) group by seller_id, settlement_id) as l
      using (seller_id, settlement_id)
      where (s.gross_amount_minor, s.fees_minor, s.adjustments_minor, s.reserve_change_minor, s.line_count, s.order_count)
        is distinct from (coalesce(l.gross, 0), coalesce(l.fees, 0), coalesce(l.adjustments, 0),
          coalesce(l.reserve, 0), coalesce(l.lines, 0), coalesce(l.orders, 0))`,
  },
  {
    id: 'I07',
    title: 'Net is gross less fees plus adjustments; what is payable is paid out or carried on',
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
    title: 'A settlement opens with what the one before carried on, on the day after it',
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
    title: 'No line that was available was left out of a closed period',
    text: `
      select e.seller_id, e.entry_id as subject, format('available on %s, closed through %s', e.available_on, c.through) as found
      from (select seller_id, currency, max(period_end) as through from settlement group by seller_id, currency) as c
      join ledger_entry e on e.seller_id = c.seller_id and e.currency = c.currency and e.available_on <= c.through
      where e.bucket is not null and not exists (
        select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id)`,
  },
  {
    id: 'I10',
    title: 'A settlement is paid out at most once at a time, wholly, and stands as its payout does',
    text: `
      select s.seller_id, s.settlement_id as subject,
        format('%s of %s: %s live payouts, %s paid, %s in work', s.status, s.payout_amount_minor, p.live, p.paid, p.working) as found
      from settlement s left join (
        select seller_id, settlement_id, count(*) filter (where status in ${LIVE}) as live,
          count(*) filter (where status = 'paid') as paid,
          count(*) filter (where status in ('pending', 'in_transit')) as working
        from payout group by seller_id, settlement_id) as p using (seller_id, settlement_id)
      where p.live > 1 or (s.status = 'paid') <> (coalesce(p.paid, 0) > 0)
        or (s.status = 'processing') <> (coalesce(p.working, 0) > 0)
      union all
      select p.seller_id, p.payout_id, format('%s %s of %s %s', p.amount_minor, p.currency, s.payout_amount_minor, s.currency)
      from payout p left join settlement s using (seller_id, settlement_id)
      where (p.amount_minor, p.currency) is distinct from (s.payout_amount_minor, s.currency)`,
  },
  {
    id: 'I11',
    title: 'What stands as settled and as in transit is what settlements and payouts say',
    text: `
      select seller_id, currency as subject, format('%s: %s in the ledger, %s in the records', account, -sum(amount), sum(known)) as found
      from (
        select seller_id, currency, account, amount_minor as amount, 0::bigint as known
        from ledger_entry where account in ('seller_settled', 'seller_in_transit')
        union all
        select seller_id, currency, case status when 'in_transit' then 'seller_in_transit' else 'seller_settled' end, 0, amount_minor
        from payout where status in ('in_transit', 'pending')
        union all
        select seller_id, currency, 'seller_settled', 0, payout_amount_minor
        from settlement where status in ('ready', 'on_hold', 'payment_failed')) as both_sides
      group by seller_id, currency, account having sum(amount) + sum(known) <> 0`,
  },
  {
    id: 'I12',
    title: 'Sales less fees plus adjustments are what was paid out and what is still owed',
    text: `
      select seller_id, currency as subject, format('earned %s, paid out %s, owed %s', sum(earned), sum(paid), sum(owed)) as found
      from (
        select seller_id, currency, case when bucket in ('gross', 'fees', 'adjustments') then -amount_minor else 0 end as earned,
          0::bigint as paid, -amount_minor as owed
        from ledger_entry where account in ${OWED}
        union all
        select seller_id, currency, 0, amount_minor, 0 from payout where status = 'paid') as parts
      group by seller_id, currency having sum(earned) <> sum(paid) + sum(owed)`,
  },
  {
    id: 'I18',
    title:
      'Invoices and adjustment notes of a settlement are its fees, each fee on one of them, without a gap in their numbers',
    text: `
      select s.seller_id, s.settlement_id as subject, format('fees %s, invoiced %s', s.fees_minor, coalesce(i.total, 0)) as found
      from settlement s left join (
        select seller_id, settlement_id, sum(total_minor) as total from invoice group by seller_id, settlement_id) as i
      using (seller_id, settlement_id) where s.fees_minor <> coalesce(i.total, 0)
      union all
      select l.seller_id, l.entry_id, format('on document %s', i.invoice_id)
      from settlement_line l join ledger_entry e using (seller_id, entry_id)
      left join invoice_line il using (seller_id, entry_id) left join invoice i using (seller_id, invoice_id)
      where (e.bucket = 'fees' and i.settlement_id is distinct from l.settlement_id) or (e.bucket <> 'fees' and il.entry_id is not null)
      union all
      select seller_id, entry_id, format('on %s documents', count(*)) from invoice_line
      group by seller_id, entry_id having count(*) > 1
      union all
      select i.seller_id, i.invoice_id, format('total %s, lines %s', i.total_minor, coalesce(sum(e.amount_minor), 0))
      from invoice i left join invoice_line l using (seller_id, invoice_id) left join ledger_entry e using (seller_id, entry_id)
      group by i.seller_id, i.invoice_id having i.total_minor <> coalesce(sum(e.amount_minor), 0)
      union all
      select seller_id, 'invoice_series', format('%s documents, last number %s', count(i.invoice_id), max(n.last))
      from invoice i full join invoice_series n using (seller_id)
      group by seller_id having count(i.invoice_id) is distinct from max(n.last)`,
  },
  {
    id: 'I19',
    title: 'What the provider reports is matched once, to the cent, or named as a difference',
    text: `
      select seller_id, journal_id as subject, format('matched to %s transactions', count(*)) as found
      from provider_match where reason_codes = '{}' group by seller_id, journal_id having count(*) > 1
      union all
      select min(m.seller_id), m.provider_transaction_id,
        format('reported %s, booked %s', t.net_minor, coalesce(max(o.told), sum(e.amount_minor)))
      from provider_match m join provider_transaction t using (provider, provider_transaction_id)
      join ledger_journal j on j.seller_id = m.seller_id and j.journal_id = m.journal_id
      left join lateral (select charge_total_minor - charge_provider_fee_minor as told from v_orders_sold
        where seller_id = j.seller_id and order_id = j.order_id and j.kind = 'order_captured') as o on true
      left join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.account = case
        when j.kind in ('payout_sent', 'payout_failed') then 'seller_in_transit'
        when j.kind in ('refund_created', 'refund_failed') then 'buyer_refunds_payable' else 'provider_clearing' end
      group by m.provider, m.provider_transaction_id, t.net_minor
      having bool_and(m.reason_codes = '{}') and coalesce(max(o.told), sum(e.amount_minor)) is distinct from t.net_minor`,
  },
  {
    id: 'I22',
    title: 'What is payable is what was carried on last and what is not settled yet',
    text: `
      select seller_id, currency as subject, format('payable %s, carried on %s, not settled %s', sum(payable), sum(carried), sum(open)) as found
      from (
        select e.seller_id, e.currency, -e.amount_minor as payable, 0::bigint as carried,
          case when e.bucket is null or exists (
            select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id)
            then 0 else -e.amount_minor end as open
        from ledger_entry e where e.account = 'seller_payable'
        union all
        select * from (
          select distinct on (seller_id, currency) seller_id, currency, 0::bigint, closing_balance_minor, 0::bigint
          from settlement order by seller_id, currency, period_end desc) as newest) as parts
      group by seller_id, currency having sum(payable) <> sum(carried) + sum(open)`,
  },
  {
    id: 'S04',
    title: 'What is left of the reserves is what the ledger holds back',
    text: `
      select seller_id, currency as subject, format('%s in the ledger, %s in the records', sum(held), sum(known)) as found
      from (
        select seller_id, currency, -amount_minor as held, 0::bigint as known from ledger_entry where account = 'seller_reserve'
        union all
        select seller_id, currency, 0, amount_minor - released_minor from reserve) as both_sides
      group by seller_id, currency having sum(held) <> sum(known)`,
  },
];
