-- The ledger at a cost that grows with what is written and not with its square, and figures at one that does not grow
-- with the ledger. What the triggers look up is asked in subqueries for single values: a join on the seller beside the
-- seller of row-level security counts the seller's share twice, and takes any index that begins with the seller for as
-- good as the right one.

-- A journal is weighed once, when its transaction ends; before, each of its legs weighed all of them.
drop trigger balanced on ledger_entry;
drop trigger whole on ledger_journal;
drop function require_balance();
drop function require_legs();
create function require_whole_journal() returns trigger language plpgsql as $$
declare
  legs bigint;
  uneven boolean;
begin
  select coalesce(sum(c.legs), 0), coalesce(bool_or(c.amount <> 0), false) into legs, uneven
  from (select count(*) as legs, sum(amount_minor) as amount from ledger_entry
        where seller_id = new.seller_id and journal_id = new.journal_id group by currency) c;
  if legs < 2 then
    raise exception 'journal % has fewer than two legs', new.journal_id using errcode = 'check_violation';
  end if;
  if uneven then
    raise exception 'journal % does not balance', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger balanced after insert on ledger_journal
  deferrable initially deferred for each row execute function require_whole_journal();

-- What was weighed stays as it was: all legs of a journal come with one statement, and none after them. Journals never
-- go away, so that whether they are there is asked once for each, and not by a foreign key for each leg.
alter table ledger_entry drop constraint ledger_entry_seller_id_journal_id_fkey;
create function require_all_legs_at_once() returns trigger language plpgsql as $$
declare
  wrong record;
begin
  select c.journal_id, c.missing into wrong
  from (select f.journal_id, f.legs, not exists (select from ledger_journal j
          where j.seller_id = f.seller_id and j.journal_id = f.journal_id) as missing,
        (select count(*) from ledger_entry e where e.seller_id = f.seller_id and e.journal_id = f.journal_id) as standing
        from (select seller_id, journal_id, count(*) as legs from fresh group by seller_id, journal_id) f) c
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
create trigger all_at_once after insert on ledger_entry
  referencing new table as fresh for each statement execute function require_all_legs_at_once();

-- The same of what is closed: neither a settlement nor a document goes away or gets another name, nor does a line of
-- one change; so lines are held against them once for each statement, and more is asked of them than a key can.
alter table settlement_line drop constraint settlement_line_seller_id_entry_id_fkey,
  drop constraint settlement_line_seller_id_settlement_id_fkey;
alter table invoice_line drop constraint invoice_line_seller_id_entry_id_fkey,
  drop constraint invoice_line_seller_id_invoice_id_fkey;
create function refuse_change_of_what_is_closed() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: what is closed stays as it is', lower(tg_op), tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger never_goes before delete or update of seller_id, settlement_id on settlement
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_goes before delete or update of seller_id, invoice_id on invoice
  for each row execute function refuse_change_of_what_is_closed();
create trigger append_only before update or delete on settlement_line
  for each row execute function refuse_change_of_what_is_closed();
create trigger append_only before update or delete on invoice_line
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_emptied before truncate on settlement execute function refuse_change_of_what_is_closed();
create trigger never_emptied before truncate on invoice execute function refuse_change_of_what_is_closed();
create trigger never_emptied before truncate on settlement_line execute function refuse_change_of_what_is_closed();
create trigger never_emptied before truncate on invoice_line execute function refuse_change_of_what_is_closed();

create function require_available_lines() returns trigger language plpgsql as $$
declare
  stranger text;
begin
  select f.entry_id into stranger
  from fresh f
  where (select e.bucket is not null and exists (select from settlement s
           where s.seller_id = f.seller_id and s.settlement_id = f.settlement_id and s.currency = e.currency
             and s.period_end >= e.available_on)
         from ledger_entry e where e.seller_id = f.seller_id and e.entry_id = f.entry_id) is not true
  limit 1;
  if found then
    raise exception 'entry % is no line of this settlement', stranger using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger of_its_period after insert on settlement_line
  referencing new table as fresh for each statement execute function require_available_lines();
create function require_fees() returns trigger language plpgsql as $$
declare
  stranger text;
begin
  select f.entry_id into stranger
  from fresh f
  where (select e.bucket = 'fees' and exists (select from invoice i
           where i.seller_id = f.seller_id and i.invoice_id = f.invoice_id and i.currency = e.currency)
         from ledger_entry e where e.seller_id = f.seller_id and e.entry_id = f.entry_id) is not true
  limit 1;
  if found then
    raise exception 'entry % is no fee of this document', stranger using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger of_its_fees after insert on invoice_line
  referencing new table as fresh for each statement execute function require_fees();

-- The sums of whole months, so that an account costs the same after ten years.
create table ledger_month (
  seller_id id not null,
  currency text collate "C" not null,
  -- Its first day.
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

-- Orders that were delivered in more than one go: the days on which their later deliveries are available. How many
-- orders a range of days has is the sum of its first sales and what of this table falls into it.
create table ledger_later_sale (
  seller_id id not null,
  currency text collate "C" not null,
  available_on date not null,
  order_id id not null,
  primary key (seller_id, currency, available_on, order_id)
);
select protect_seller_table('ledger_later_sale');

-- What is in hold, and what the open period has.
create index ledger_day_available on ledger_day (seller_id, currency, available_on) where type <> '';

create or replace function sum_ledger_days() returns trigger language plpgsql as $$
begin
  with days as materialized (
    select e.seller_id, e.currency, e.posted_on, e.account,
      (select j.kind from ledger_journal j where j.seller_id = e.seller_id and j.journal_id = e.journal_id) as kind,
      coalesce(e.type, '') as type, coalesce(e.available_on, e.posted_on) as available_on,
      sum(e.amount_minor) as amount_minor, count(*) as entries,
      -- Asked of the first of an order's lines only.
      count(case when e.type = 'sale' and e.order_id is not null and e.nth = 1 then (
        select 1 where not exists (select from ledger_entry x where x.seller_id = e.seller_id
          and x.order_id = e.order_id and x.position < e.position and x.type = 'sale')) end) as first_sales
    from (select f.*, row_number() over (partition by f.seller_id, f.order_id, f.type order by f.position) as nth
          from fresh f) e
    group by 1, 2, 3, 4, 5, 6, 7),
  by_day as (
    insert into ledger_day as d
      (seller_id, currency, posted_on, account, kind, type, available_on, amount_minor, entries, first_sales)
    select * from days
    on conflict (seller_id, currency, posted_on, account, kind, type, available_on) do update
      set amount_minor = d.amount_minor + excluded.amount_minor, entries = d.entries + excluded.entries,
        first_sales = d.first_sales + excluded.first_sales)
  insert into ledger_month as m (seller_id, currency, month, account, kind, type, amount_minor, entries, first_sales)
  select seller_id, currency, date_trunc('month', posted_on)::date, account, kind, type, sum(amount_minor),
    sum(entries), sum(first_sales) from days group by 1, 2, 3, 4, 5, 6
  on conflict (seller_id, currency, month, account, kind, type) do update
    set amount_minor = m.amount_minor + excluded.amount_minor, entries = m.entries + excluded.entries,
      first_sales = m.first_sales + excluded.first_sales;
  insert into ledger_later_sale (seller_id, currency, available_on, order_id)
  select distinct s.seller_id, s.currency, s.available_on, s.order_id
  from (select seller_id, currency, available_on, order_id, journal_id, min(position) as position from fresh
        where type = 'sale' and order_id is not null group by 1, 2, 3, 4, 5) s
  where (select true from ledger_entry x where x.seller_id = s.seller_id and x.order_id = s.order_id
    and x.position < s.position and x.type = 'sale' limit 1)
  on conflict do nothing;
  return null;
end $$;

-- Whether a fee is missing anywhere is asked of the orders that lack one.
create index sales_order_without_fee on sales_order (seller_id, order_id)
  where provider_fee_minor is null and charge_provider_fee_minor is null;

-- What was posted before this file; its owner sees it only while the tables are open to owners.
alter table ledger_day no force row level security;
alter table ledger_entry no force row level security;
alter table ledger_month no force row level security;
alter table ledger_later_sale no force row level security;
insert into ledger_month (seller_id, currency, month, account, kind, type, amount_minor, entries, first_sales)
select seller_id, currency, date_trunc('month', posted_on)::date, account, kind, type, sum(amount_minor), sum(entries),
  sum(first_sales) from ledger_day group by 1, 2, 3, 4, 5, 6;
insert into ledger_later_sale (seller_id, currency, available_on, order_id)
select distinct e.seller_id, e.currency, e.available_on, e.order_id
from ledger_entry e join (
  select distinct on (seller_id, order_id) seller_id, order_id, journal_id from ledger_entry
  where type = 'sale' and order_id is not null order by seller_id, order_id, position) f
  on f.seller_id = e.seller_id and f.order_id = e.order_id and f.journal_id <> e.journal_id
where e.type = 'sale';
alter table ledger_day force row level security;
alter table ledger_entry force row level security;
alter table ledger_month force row level security;
alter table ledger_later_sale force row level security;
