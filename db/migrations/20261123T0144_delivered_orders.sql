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
