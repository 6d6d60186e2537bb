-- owner: ledger
--
-- A delivered order counts once, by its first line of a delivery. That was its first sale, so that an order
-- with nothing left to pay after its discounts was charged and not counted.

-- A transaction that posts holds the lock on ledger_head, so no two transactions of a seller meet here.
create or replace function sum_ledger_days() returns trigger language plpgsql as $$
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
      -- Only the first line of an order looks for earlier ones.
      count(case when e.is_delivery and e.order_id is not null and e.nth = 1 then (
        select 1 where not exists (
          select from ledger_entry x
          where x.seller_id = e.seller_id
            and x.order_id = e.order_id
            and x.position < e.position
            and x.type in ('sale', 'seller_order_fee', 'payment_processing')
        )
      ) end) as first_sales
    from (
      select
        g.*,
        row_number() over (
          partition by g.seller_id, g.order_id, g.is_delivery
          order by g.position
        ) as nth
      from (
        select f.*,
          coalesce(f.type in ('sale', 'seller_order_fee', 'payment_processing'), false) as is_delivery
        from fresh f
      ) g
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
    where type in ('sale', 'seller_order_fee', 'payment_processing') and order_id is not null
    group by 1, 2, 3, 4, 5
  ) s
  where (
    select true from ledger_entry x
    where x.seller_id = s.seller_id
      and x.order_id = s.order_id
      and x.position < s.position
      and x.type in ('sale', 'seller_order_fee', 'payment_processing')
    limit 1
  )
  on conflict do nothing;
  return null;
end $$;

-- Orders that were delivered before. Row-level security would show the migration none of them.
alter table ledger_entry no force row level security;
alter table ledger_journal no force row level security;
alter table ledger_day no force row level security;
alter table ledger_month no force row level security;
alter table ledger_later_sale no force row level security;
with line as materialized (
  select
    e.seller_id,
    e.currency,
    e.posted_on,
    e.account,
    j.kind,
    e.type,
    coalesce(e.available_on, e.posted_on) as available_on,
    row_number() over (partition by e.seller_id, e.order_id order by e.position) as nth,
    row_number() over (partition by e.seller_id, e.order_id, e.type order by e.position) as nth_of_type,
    first_value(e.type) over (partition by e.seller_id, e.order_id order by e.position) as first_type
  from ledger_entry e
  join ledger_journal j on j.seller_id = e.seller_id and j.journal_id = e.journal_id
  where e.type in ('sale', 'seller_order_fee', 'payment_processing') and e.order_id is not null
),
change as (
  select
    seller_id,
    currency,
    posted_on,
    account,
    kind,
    type,
    available_on,
    sum(case when nth = 1 then 1 else -1 end) as orders
  from line
  where first_type <> 'sale'
    and (nth = 1 or (type = 'sale' and nth_of_type = 1))
  group by 1, 2, 3, 4, 5, 6, 7
)
update ledger_day d
   set first_sales = d.first_sales + c.orders
  from change c
 where (d.seller_id, d.currency, d.posted_on, d.account, d.kind, d.type, d.available_on)
     = (c.seller_id, c.currency, c.posted_on, c.account, c.kind, c.type, c.available_on);
update ledger_month m
   set first_sales = d.orders
  from (
    select seller_id, currency, date_trunc('month', posted_on)::date as month, account, kind, type,
      sum(first_sales) as orders
    from ledger_day
    group by 1, 2, 3, 4, 5, 6
  ) d
 where (d.seller_id, d.currency, d.month, d.account, d.kind, d.type)
     = (m.seller_id, m.currency, m.month, m.account, m.kind, m.type)
   and m.first_sales <> d.orders;
insert into ledger_later_sale (seller_id, currency, available_on, order_id)
select distinct e.seller_id, e.currency, e.available_on, e.order_id
from ledger_entry e
join (
  select distinct on (seller_id, order_id) seller_id, order_id, journal_id
  from ledger_entry
  where type in ('sale', 'seller_order_fee', 'payment_processing') and order_id is not null
  order by seller_id, order_id, position
) f on f.seller_id = e.seller_id and f.order_id = e.order_id and f.journal_id <> e.journal_id
where e.type in ('sale', 'seller_order_fee', 'payment_processing')
on conflict do nothing;
alter table ledger_entry force row level security;
alter table ledger_journal force row level security;
alter table ledger_day force row level security;
alter table ledger_month force row level security;
alter table ledger_later_sale force row level security;
