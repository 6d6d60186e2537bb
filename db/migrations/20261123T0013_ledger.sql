-- owner: ledger
--
-- One append-only double-entry ledger, the source of every figure of money. All other money tables hold
-- either facts that came from outside or closed figures that the service never computes again.
--
-- The triggers cost what a statement writes, not what the ledger holds. They look rows up in subqueries for
-- single values: beside row-level security, a join on seller_id counts the seller's share twice, and the
-- planner takes any index that begins with seller_id.
--
-- The statistics target of seller_id is 0 for the reason that the products file gives: the first page of a
-- ledger of 90,000 entries took 20 s while the statistics did not know its seller.

-- The rates of an order. They are frozen when the seller accepts it, or at its delivery if that comes first.
create table order_terms (
  seller_id id not null,
  order_id id not null,
  fee_schedule_version text not null,
  loyalty_program_fund_bps integer not null,
  seller_order_fee_minor bigint not null,
  -- [{"order_line_id", "platform_fee_bps", "source": "order|category|shipping|default"}]
  line_rates json not null,
  frozen_at timestamptz not null,
  -- The first delivery sets both. No money of the order is available before available_on.
  hold_days integer,
  available_on date,
  primary key (seller_id, order_id)
);
select protect_seller_table('order_terms');
alter table order_terms alter column seller_id set statistics 0;

-- The end of a seller's ledger. A transaction that posts or closes locks this row, so positions have no gap.
create table ledger_head (
  seller_id id primary key,
  position bigint not null,
  -- All money that ever moved in the seller's ledger, debits only: no sum of its entries is larger.
  moved_minor bigint not null default 0 check (moved_minor >= 0)
);
select protect_seller_table('ledger_head');

create table ledger_journal (
  seller_id id not null,
  journal_id id not null,
  kind text not null,
  order_id id,
  refund_id text collate "C",
  dispute_id text collate "C",
  settlement_id id,
  payout_id id,
  -- When it happened, the day in Sydney that it counts for, and when the service recorded it.
  occurred_at timestamptz not null,
  posted_on date not null,
  recorded_at timestamptz not null,
  -- The period of the day on which it happened was closed already.
  late boolean not null,
  idempotency_key text collate "C" not null,
  reverses_journal_id id,
  reason_code text,
  actor text not null,
  source_event_id text collate "C",
  primary key (seller_id, journal_id),
  unique (seller_id, idempotency_key),
  unique (seller_id, reverses_journal_id),
  foreign key (seller_id, reverses_journal_id) references ledger_journal
);
select protect_seller_table('ledger_journal');
alter table ledger_journal alter column seller_id set statistics 0;
create index ledger_journal_order on ledger_journal (seller_id, order_id) where order_id is not null;
-- The journals of a day, for figures at an instant within it.
create index ledger_journal_day on ledger_journal (seller_id, posted_on);
-- The payment provider names a dispute or a refund without its seller.
create index ledger_journal_dispute on ledger_journal (dispute_id) where dispute_id is not null;
create index ledger_journal_refund on ledger_journal (refund_id) where refund_id is not null;

-- No foreign key to the journal: the trigger all_at_once checks it once for each journal, not for each entry.
create table ledger_entry (
  seller_id id not null,
  entry_id id not null,
  journal_id id not null,
  -- Within the seller's ledger, without gaps.
  position bigint not null,
  account text collate "C" not null check (account in (
    'provider_clearing', 'order_escrow', 'seller_payable', 'seller_reserve', 'seller_settled',
    'seller_in_transit', 'buyer_refunds_payable', 'loyalty_fund', 'platform_fee_income',
    'seller_order_fee_income', 'processing_cost', 'manual_adjustments', 'platform_loss', 'rounding')),
  -- Debits are above zero, credits below.
  amount_minor bigint not null check (amount_minor <> 0),
  currency text not null,
  -- What the seller sees of the entry; null for entries that the seller does not see.
  type text,
  component text,
  bucket text check (bucket in ('gross', 'fees', 'adjustments', 'reserve')),
  order_id id,
  order_line_id id,
  quantity integer,
  rate_bps integer,
  -- The marketplace's id of the refund, dispute, adjustment or reserve.
  related_id text collate "C",
  posted_on date not null,
  available_on date,
  late boolean not null,
  description text,
  primary key (seller_id, entry_id),
  unique (seller_id, position),
  constraint statement_lines_are_whole
    check ((bucket is null) = (type is null) and (bucket is null) = (available_on is null)),
  constraint only_payable_entries_are_statement_lines check (bucket is null or account = 'seller_payable')
);
select protect_seller_table('ledger_entry');
alter table ledger_entry alter column seller_id set statistics 0;
create index ledger_entry_journal on ledger_entry (seller_id, journal_id);
create index ledger_entry_statement on ledger_entry (seller_id, posted_on, position) where bucket is not null;
-- The latest lines of some types: without it a search for refunds reads all lines of the seller.
create index ledger_entry_type on ledger_entry (seller_id, type, posted_on, position)
  where bucket is not null;
create index ledger_entry_available on ledger_entry (seller_id, currency, available_on)
  where bucket is not null;
create index ledger_entry_order on ledger_entry (seller_id, order_id, position) where order_id is not null;
create index ledger_entry_related on ledger_entry (seller_id, related_id) where related_id is not null;
create index ledger_entry_late on ledger_entry (seller_id, posted_on) where late and bucket is not null;

create function refuse_change_of_the_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: corrections are new journals'
    using errcode = 'restrict_violation';
end $$;
create trigger append_only
  before update or delete on ledger_journal
  for each row execute function refuse_change_of_the_ledger();
create trigger append_only
  before update or delete on ledger_entry
  for each row execute function refuse_change_of_the_ledger();
create trigger never_emptied
  before truncate on ledger_journal
  execute function refuse_change_of_the_ledger();
create trigger never_emptied
  before truncate on ledger_entry
  execute function refuse_change_of_the_ledger();

-- A transaction weighs each of its journals once, when it ends.
create function require_whole_journal() returns trigger language plpgsql as $$
declare
  legs bigint;
  uneven boolean;
begin
  select coalesce(sum(c.legs), 0), coalesce(bool_or(c.amount <> 0), false)
  into legs, uneven
  from (
    select count(*) as legs, sum(amount_minor) as amount
    from ledger_entry
    where seller_id = new.seller_id and journal_id = new.journal_id
    group by currency
  ) c;
  if legs < 2 then
    raise exception 'journal % has fewer than two legs', new.journal_id using errcode = 'check_violation';
  end if;
  if uneven then
    raise exception 'journal % does not balance', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger balanced
  after insert on ledger_journal
  deferrable initially deferred
  for each row execute function require_whole_journal();

-- A journal stays as it was weighed: one statement writes all its entries, and no later statement adds any.
create function require_all_legs_at_once() returns trigger language plpgsql as $$
declare
  wrong record;
begin
  select c.journal_id, c.missing
  into wrong
  from (
    select
      f.journal_id,
      f.legs,
      not exists (
        select from ledger_journal j
        where j.seller_id = f.seller_id and j.journal_id = f.journal_id
      ) as missing,
      (
        select count(*) from ledger_entry e
        where e.seller_id = f.seller_id and e.journal_id = f.journal_id
      ) as standing
    from (
      select seller_id, journal_id, count(*) as legs
      from fresh
      group by seller_id, journal_id
    ) f
  ) c
  where c.missing or c.legs <> c.standing
  limit 1;
  if wrong.missing then
    raise exception 'there is no journal %', wrong.journal_id using errcode = 'foreign_key_violation';
  elsif found then
    raise exception 'journal % has its legs already: they are written at once', wrong.journal_id
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger all_at_once
  after insert on ledger_entry
  referencing new table as fresh
  for each statement execute function require_all_legs_at_once();

-- Sums of the ledger, one row for each day and kind of entry: a figure costs the same for a thousand entries
-- and for a million. Only the trigger summed_by_day writes it, in the transaction of the entries. The nightly
-- audit compares it with the entries.
create table ledger_day (
  seller_id id not null,
  currency text collate "C" not null,
  posted_on date not null,
  account text collate "C" not null,
  kind text collate "C" not null,
  -- Of the seller's lines; other entries have '' and the day itself.
  type text collate "C" not null,
  available_on date not null,
  -- Debits are above zero, credits below.
  amount_minor bigint not null,
  entries integer not null,
  -- Sales that are the first of their order.
  first_sales integer not null,
  primary key (seller_id, currency, posted_on, account, kind, type, available_on)
);
select protect_seller_table('ledger_day');
alter table ledger_day alter column seller_id set statistics 0;
-- The money that is in hold, and the money of the open period.
create index ledger_day_available on ledger_day (seller_id, currency, available_on) where type <> '';

-- Sums of whole months, so that an account costs the same after ten years.
create table ledger_month (
  seller_id id not null,
  currency text collate "C" not null,
  -- The first day of the month.
  month date not null check (extract(day from month) = 1),
  account text collate "C" not null,
  kind text collate "C" not null,
  type text collate "C" not null,
  amount_minor bigint not null,
  entries integer not null,
  first_sales integer not null,
  primary key (seller_id, currency, month, account, kind, type)
);
select protect_seller_table('ledger_month');
alter table ledger_month alter column seller_id set statistics 0;

-- The days on which later deliveries of an order are available, of orders delivered in several parts. The
-- number of orders in a range of days is the sum of its first sales and the rows of this table in that range.
create table ledger_later_sale (
  seller_id id not null,
  currency text collate "C" not null,
  available_on date not null,
  order_id id not null,
  primary key (seller_id, currency, available_on, order_id)
);
select protect_seller_table('ledger_later_sale');

-- A transaction that posts holds the lock on ledger_head, so no two transactions of a seller meet here.
create function sum_ledger_days() returns trigger language plpgsql as $$
begin
  with days as materialized (
    select
      e.seller_id,
      e.currency,
      e.posted_on,
      e.account,
      (
        select j.kind from ledger_journal j
        where j.seller_id = e.seller_id and j.journal_id = e.journal_id
      ) as kind,
      coalesce(e.type, '') as type,
      coalesce(e.available_on, e.posted_on) as available_on,
      sum(e.amount_minor) as amount_minor,
      count(*) as entries,
      -- Only the first line of an order looks for earlier sales.
      count(case when e.type = 'sale' and e.order_id is not null and e.nth = 1 then (
        select 1 where not exists (
          select from ledger_entry x
          where x.seller_id = e.seller_id
            and x.order_id = e.order_id
            and x.position < e.position
            and x.type = 'sale'
        )
      ) end) as first_sales
    from (
      select f.*, row_number() over (partition by f.seller_id, f.order_id, f.type order by f.position) as nth
      from fresh f
    ) e
    group by 1, 2, 3, 4, 5, 6, 7
  ),
  by_day as (
    insert into ledger_day as d
      (seller_id, currency, posted_on, account, kind, type, available_on, amount_minor, entries, first_sales)
    select * from days
    on conflict (seller_id, currency, posted_on, account, kind, type, available_on) do update
      set amount_minor = d.amount_minor + excluded.amount_minor,
        entries = d.entries + excluded.entries,
        first_sales = d.first_sales + excluded.first_sales
  )
  insert into ledger_month as m
    (seller_id, currency, month, account, kind, type, amount_minor, entries, first_sales)
  select
    seller_id,
    currency,
    date_trunc('month', posted_on)::date,
    account,
    kind,
    type,
    sum(amount_minor),
    sum(entries),
    sum(first_sales)
  from days
  group by 1, 2, 3, 4, 5, 6
  on conflict (seller_id, currency, month, account, kind, type) do update
    set amount_minor = m.amount_minor + excluded.amount_minor,
      entries = m.entries + excluded.entries,
      first_sales = m.first_sales + excluded.first_sales;
  insert into ledger_later_sale (seller_id, currency, available_on, order_id)
  select distinct s.seller_id, s.currency, s.available_on, s.order_id
  from (
    select seller_id, currency, available_on, order_id, journal_id, min(position) as position
    from fresh
    where type = 'sale' and order_id is not null
    group by 1, 2, 3, 4, 5
  ) s
  where (
    select true from ledger_entry x
    where x.seller_id = s.seller_id
      and x.order_id = s.order_id
      and x.position < s.position
      and x.type = 'sale'
    limit 1
  )
  on conflict do nothing;
  return null;
end $$;
create trigger summed_by_day
  after insert on ledger_entry
  referencing new table as fresh
  for each statement execute function sum_ledger_days();

-- For fees, settlements and the account: the frozen rates of an order.
create view v_ledger_terms with (security_invoker = true) as
select
  seller_id,
  order_id,
  fee_schedule_version,
  loyalty_program_fund_bps,
  seller_order_fee_minor,
  line_rates,
  available_on
from order_terms;
grant select on v_ledger_terms to spp_app, spp_system;

-- not a seller table: the nightly audit reads the ledgers of all sellers. This is its last result.
create table ledger_audit (
  invariant text primary key,
  -- Rows that contradict the invariant; 0 when it holds.
  violations bigint not null check (violations >= 0),
  -- Some of them, [{"seller_id", "subject", "found"}].
  examples json not null,
  checked_at timestamptz not null
);
alter table ledger_audit enable row level security;
alter table ledger_audit force row level security;
create policy system on ledger_audit to spp_system using (true) with check (true);
grant select, insert, update on ledger_audit to spp_system;

-- For the modules above the ledger: journals.
create view v_ledger_journal with (security_invoker = true) as
select
  seller_id,
  journal_id,
  kind,
  order_id,
  refund_id,
  dispute_id,
  settlement_id,
  payout_id,
  occurred_at,
  posted_on,
  recorded_at,
  late,
  idempotency_key,
  reverses_journal_id,
  reason_code,
  actor,
  source_event_id
from ledger_journal;
grant select on v_ledger_journal to spp_app, spp_system;

-- For the modules above the ledger: entries.
create view v_ledger_entry with (security_invoker = true) as
select
  seller_id,
  entry_id,
  journal_id,
  position,
  account,
  amount_minor,
  currency,
  type,
  component,
  bucket,
  order_id,
  order_line_id,
  quantity,
  rate_bps,
  related_id,
  posted_on,
  available_on,
  late,
  description
from ledger_entry;
grant select on v_ledger_entry to spp_app, spp_system;

-- For the modules above the ledger and the marketplace: sums of days.
create view v_ledger_day with (security_invoker = true) as
select
  seller_id,
  currency,
  posted_on,
  account,
  kind,
  type,
  available_on,
  amount_minor,
  entries,
  first_sales
from ledger_day;
grant select on v_ledger_day to spp_app, spp_system;

-- For the account and the marketplace: sums of months.
create view v_ledger_month with (security_invoker = true) as
select
  seller_id,
  currency,
  month,
  account,
  kind,
  type,
  amount_minor,
  entries,
  first_sales
from ledger_month;
grant select on v_ledger_month to spp_app, spp_system;

-- For settlements: later deliveries of an order.
create view v_ledger_later_sale with (security_invoker = true) as
select
  seller_id,
  currency,
  available_on,
  order_id
from ledger_later_sale;
grant select on v_ledger_later_sale to spp_app, spp_system;

-- For the modules above the ledger and the marketplace: the end of each ledger.
create view v_ledger_head with (security_invoker = true) as
select
  seller_id,
  position,
  moved_minor
from ledger_head;
grant select on v_ledger_head to spp_app, spp_system;

-- For the marketplace: entries with the instant from which each counts.
create view v_ledger_counted with (security_invoker = true) as
select
  e.seller_id,
  e.account,
  e.currency,
  e.amount_minor,
  j.posted_on,
  case when e.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end as counts_from
from ledger_journal j
join ledger_entry e
  on e.seller_id = j.seller_id
  and e.journal_id = j.journal_id;
grant select on v_ledger_counted to spp_app, spp_system;
