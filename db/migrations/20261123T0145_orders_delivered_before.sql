-- owner: ledger
--
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
