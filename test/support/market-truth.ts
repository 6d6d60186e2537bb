/**
 * The ledger as it must be, computed from orders, refunds and disputes by other code than the one that posts.
 * Source: docs/design/money.md#order-facts.
 */
import type { Stage } from './market-day.ts';

/** Rounded half up; for amounts that are not negative. */
const share = (amount: string, part: string, whole: string): string =>
  `div(2 * (${amount})::numeric * (${part}) + (${whole}), 2 * (${whole}))`;
const ENDED = '(l.rejected + l.cancelled + l.lost)';

/** Lines of captured orders: where their units are, and how much of them was refunded. */
const LINES = `
  line as (
    select l.seller_id, l.order_id, l.order_line_id, l.kind, l.ordered, l.delivered, l.net_minor::numeric as net,
      coalesce((select (rate->>'platform_fee_bps')::int from json_array_elements(t.line_rates) rate
        where rate->>'order_line_id' = l.order_line_id), 0) as bps,
      case when o.loyalty and l.kind = 'item' then coalesce(t.loyalty_program_fund_bps, 0) else 0 end as fund_bps,
      every.arrived, case when l.kind = 'shipping' then case when every.over and not every.arrived then l.net_minor else 0 end
        else l.net_minor - ${share('l.net_minor', `l.ordered - ${ENDED}`, 'l.ordered')} end as ended,
      coalesce((select sum(p.amount_minor) from order_refund_line p join order_refund r using (seller_id, order_id, refund_id)
        where p.seller_id = l.seller_id and p.order_line_id = l.order_line_id and r.status in ('processing', 'succeeded')), 0) as given
    from order_line l join sales_order o using (seller_id, order_id) left join order_terms t using (seller_id, order_id),
    lateral (select bool_or(i.delivered > 0) as arrived, bool_and(i.awaiting + i.accepted_open + i.in_transit = 0) as over
      from order_line i where i.seller_id = l.seller_id and i.order_id = l.order_id and i.kind = 'item') as every
    where o.captured_at is not null),
  due as (
    select line.*, case when kind = 'item' then ${share('net', 'delivered', 'ordered')} when arrived then net else 0 end as sold,
      case when kind = 'item' then ${share(share('net', 'bps', '10000'), 'delivered', 'ordered')}
        when arrived then ${share('net', 'bps', '10000')} else 0 end as fee,
      case when kind = 'item' then ${share(share('net', 'fund_bps', '10000'), 'delivered', 'ordered')} else 0 end as fund
    from line)`;

const POSTED = `
  posted as (
    select e.seller_id, e.order_line_id, -sum(e.amount_minor) filter (where e.type = 'sale') as sold,
      sum(e.amount_minor) filter (where e.type in ('refund', 'refund_reversal')) as given,
      sum(e.amount_minor) filter (where e.type = 'platform_fee') as fee,
      -sum(e.amount_minor) filter (where e.type like 'platform_fee_credit%' and j.refund_id is not null) as credit,
      sum(e.amount_minor) filter (where e.type = 'loyalty_program_fund') as fund,
      -sum(e.amount_minor) filter (where e.type like 'loyalty_program_fund_credit%' and j.refund_id is not null) as fund_credit
    from ledger_entry e join ledger_journal j using (seller_id, journal_id)
    where e.bucket is not null and e.order_line_id is not null group by e.seller_id, e.order_line_id)`;

const credited = (fee: string): string =>
  `case when sold = 0 then 0 else ${share(fee, 'least(given, sold)', 'sold')} end`;

const TRUTHS: Readonly<Record<string, string>> = {
  'the entries of a line are its delivered units less its refunds, with their fees': `
    with ${LINES}, ${POSTED}, should as (
      select seller_id, order_line_id, sold, least(given, sold) as given, fee, ${credited('fee')} as credit, fund,
        ${credited('fund')} as fund_credit from due)
    select s.order_line_id as subject, row_to_json(s)::text as should, row_to_json(p)::text as is
    from should s left join posted p using (seller_id, order_line_id)
    where (s.sold, s.given, s.fee, s.credit, s.fund, s.fund_credit) is distinct from (coalesce(p.sold, 0), coalesce(p.given, 0),
      coalesce(p.fee, 0), coalesce(p.credit, 0), coalesce(p.fund, 0), coalesce(p.fund_credit, 0))`,
  'the provider holds what was captured for an order less what was paid back': `
    with ${LINES}, gone as (
      select seller_id, order_id, sum(ended - greatest(0, least(given, net) - (net - ended))) as gone from line
      group by seller_id, order_id), cash as (
      select o.seller_id, o.order_id, o.captured_minor - o.provider_fee_minor - g.gone
        - coalesce((select sum(amount_minor) from order_refund r where r.seller_id = o.seller_id and r.order_id = o.order_id
            and r.status = 'succeeded'), 0)
        - coalesce((select sum(case when status = 'won' then 0 else amount_minor end + provider_fee_minor
            - case when status = 'open' then 0 else coalesce(returned_fee_minor, 0) end)
          from order_dispute d where d.seller_id = o.seller_id and d.order_id = o.order_id), 0) as should
      from sales_order o join gone g using (seller_id, order_id) where o.provider_fee_minor is not null)
    select c.order_id as subject, c.should::text as should, p.held::text as is
    from cash c left join (select seller_id, order_id, sum(amount_minor) as held from ledger_entry
      where account = 'provider_clearing' group by seller_id, order_id) as p using (seller_id, order_id)
    where c.should <> coalesce(p.held, 0)`,
  'an unpaid order has no postings': `
    select o.order_id as subject, 'nothing' as should, j.kind as is from sales_order o
    join ledger_journal j using (seller_id, order_id)
    where o.captured_at is null and j.kind <> 'adjustment_recorded'`,
  'a journal counts on its Sydney day, or, if it is late, on the day of its recording': `
    select journal_id as subject, least(happened, recorded)::text as should, posted_on::text as is from (
      select *, (occurred_at at time zone 'Australia/Sydney')::date as happened,
        (recorded_at at time zone 'Australia/Sydney')::date as recorded from ledger_journal) as j
    where posted_on <> case when late then recorded else least(happened, recorded) end`,
  'no line of an order is available before its first sale': `
    select e.entry_id as subject, greatest(e.posted_on, t.available_on)::text as should, e.available_on::text as is
    from ledger_entry e join ledger_journal j using (seller_id, journal_id) join order_terms t on
      t.seller_id = e.seller_id and t.order_id = e.order_id
    where e.bucket is not null and j.kind ~ '^(refund|chargeback|order)_' and (t.available_on is null
      or e.available_on < greatest(e.posted_on, t.available_on))`,
  'an event that was not applied has no postings': `
    select j.journal_id as subject, 'no journal' as should, j.source_event_id as is from ledger_journal j
    where j.source_event_id is not null and not exists (
      select from marketplace_event m where m.event_id = j.source_event_id and m.status = 'applied')`,
  'the reserves agree with their account': `
    select e.seller_id as subject, coalesce(r.held, 0)::text as should, e.held::text as is from (
      select seller_id, -sum(amount_minor) as held from ledger_entry where account = 'seller_reserve' group by seller_id) as e
    left join (select seller_id, sum(amount_minor - released_minor) as held from reserve group by seller_id) as r
    using (seller_id) where e.held <> coalesce(r.held, 0)`,
};

export interface LedgerDifference {
  readonly truth: string;
  readonly subject: string;
  readonly should: string;
  readonly is: string;
}

/** The differences between ledger and facts; empty when the books are right. */
export async function ledgerDifferences(stage: Stage): Promise<LedgerDifference[]> {
  const found: LedgerDifference[] = [];
  for (const [truth, text] of Object.entries(TRUTHS))
    for (const row of await stage.query<Omit<LedgerDifference, 'truth'>>(`${text} limit 5`))
      found.push({ truth, ...row });
  return found;
}

const TABLES = [
  'ledger_journal',
  'ledger_entry',
  'ledger_day',
  'ledger_month',
  'ledger_later_sale',
  'debt_notice',
  'order_terms',
  'settlement',
  'settlement_line',
  'settlement_change',
  'settlement_hold',
  'payout',
  'payout_change',
  'reserve',
  'invoice',
  'invoice_line',
];
const PRINT = `select ${TABLES.map(
  (name) =>
    `(select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from ${name} t) as ${name}`,
).join(', ')}`;

/** A digest of each table of money, to see whether anything has changed. */
export async function fingerprint(stage: Stage): Promise<unknown> {
  return (await stage.query(PRINT))[0];
}
