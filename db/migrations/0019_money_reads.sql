-- What the figures are read from: sums of the ledger by day, what the books need to know of orders, and how the
-- payment provider's figures compare.

-- The ledger's own sums, one row for each day and sort of leg, so that a figure costs the same for a thousand entries
-- and for a million. Written by the trigger below in the transaction of the entries and by nothing else; that it is
-- what the entries sum to can be asked at any time.
create table ledger_day (
  seller_id id not null,
  currency text collate "C" not null,
  posted_on date not null,
  account text collate "C" not null,
  kind text collate "C" not null,
  -- Of the seller's lines; of the other legs '' and the day itself.
  type text collate "C" not null,
  available_on date not null,
  -- Debits above zero, credits below.
  amount_minor bigint not null,
  entries integer not null,
  -- Sales that are the first of their order.
  first_sales integer not null,
  primary key (seller_id, currency, posted_on, account, kind, type, available_on)
);
select protect_seller_table('ledger_day');

-- Posting holds the seller's ledger, so that no two of its transactions meet here.
create function sum_ledger_days() returns trigger language plpgsql as $$
begin
  insert into ledger_day as d
    (seller_id, currency, posted_on, account, kind, type, available_on, amount_minor, entries, first_sales)
  select e.seller_id, e.currency, e.posted_on, e.account, j.kind, coalesce(e.type, ''),
    coalesce(e.available_on, e.posted_on), sum(e.amount_minor), count(*),
    count(*) filter (where e.type = 'sale' and not exists (
      select from ledger_entry x where x.seller_id = e.seller_id and x.order_id = e.order_id
        and x.position < e.position and x.type = 'sale'))
  from fresh e join ledger_journal j on j.seller_id = e.seller_id and j.journal_id = e.journal_id
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict (seller_id, currency, posted_on, account, kind, type, available_on) do update
    set amount_minor = d.amount_minor + excluded.amount_minor, entries = d.entries + excluded.entries,
      first_sales = d.first_sales + excluded.first_sales;
  return null;
end $$;
create trigger summed_by_day after insert on ledger_entry
  referencing new table as fresh for each statement execute function sum_ledger_days();

-- Part of a day: what of it had happened by an instant.
create index ledger_journal_day on ledger_journal (seller_id, posted_on);
create index ledger_entry_late on ledger_entry (seller_id, posted_on) where late and bucket is not null;

-- Orders as the books see them.
create view v_orders_sold with (security_invoker = true) as
select seller_id, order_id, order_number, status, currency, loyalty, placed_at, delivered_at, items_minor, shipping_minor,
  seller_discount_minor, total_minor, captured_minor, charge_id, provider_transaction_id, charge_total_minor,
  charge_provider_fee_minor, provider_fee_minor, share_of is not null as shared,
  provider_fee_minor is not null or charge_provider_fee_minor is not null as fee_captured
from sales_order;
-- As it was, and how much of it has come.
create or replace view v_orders_line with (security_invoker = true) as
select seller_id, order_line_id, order_id, line_no, kind, product_id, seller_sku, title, category, ordered,
  unit_price_minor, gross_minor, discount_minor, net_minor, platform_fee_bps, delivered
from order_line;
create view v_orders_given_back with (security_invoker = true) as
select seller_id, order_id, coalesce(external_refund_id, refund_id) as refund_id, provider_transaction_id from order_refund
where provider_transaction_id is not null;
create view v_orders_waiting with (security_invoker = true) as
select (select count(*)::int from sales_order where awaiting > 0) as to_accept,
  (select count(*)::int from sales_order where accepted_open > 0) as to_dispatch,
  (select count(*)::int from order_cancel_request where status = 'open') as cancel_requests,
  (select count(*)::int from order_return where status = 'requested') as returns_to_answer,
  (select count(*)::int from order_dispute where status = 'open') as disputes;
grant select on v_orders_sold, v_orders_given_back, v_orders_waiting to spp_app, spp_system;

-- By what a provider calls things, whoever's they are.
create index sales_order_charge on sales_order (charge_id) where charge_id is not null;
create index order_refund_provider on order_refund (provider_transaction_id) where provider_transaction_id is not null;
create index provider_match_transaction on provider_match (provider, provider_transaction_id);
create index payout_provider_name on payout (provider_payout_id) where provider_payout_id is not null;
create index payout_provider_transfer on payout (provider_transfer_id) where provider_transfer_id is not null;
create index ledger_journal_dispute on ledger_journal (dispute_id) where dispute_id is not null;

-- How the ledger compares with the provider: of a seller's account (subject ''), or of one payout. The last look.
create table reconciliation (
  seller_id id not null,
  scope text not null check (scope in ('account', 'payout')),
  subject_id id not null,
  currency text collate "C" not null,
  provider text not null,
  expected_minor bigint not null,
  reported_minor bigint not null,
  unmatched_count integer not null check (unmatched_count >= 0),
  reason_codes text[] not null,
  data_through timestamptz not null,
  checked_at timestamptz not null,
  primary key (seller_id, scope, subject_id, currency, provider)
);
select protect_seller_table('reconciliation');
