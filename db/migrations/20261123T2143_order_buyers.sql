-- owner: orders
--
-- Orders name their buyer by the pseudonym. The orders that exist get theirs here. One that the release
-- before places meanwhile has none; its reference finds it.
alter table sales_order
  add column buyer_id id,
  -- When the personal data of the order were erased.
  add column erased_at timestamptz;

create function pg_temp.is_contact(alias text) returns boolean language sql immutable as $$
  select alias ~ '@' or alias ~ '[0-9]([ ()+.-]{0,2}[0-9]){7}'
$$;

-- Row-level security would show the migration no rows.
alter table sales_order no force row level security;
alter table buyer no force row level security;
insert into buyer (seller_id, buyer_id, customer_ref, alias, first_seen_at)
select
  seller_id,
  buyer_id,
  ref,
  case when alias is null or pg_temp.is_contact(alias) then 'buyer_' || right(buyer_id, 4) else alias end,
  first_seen_at
from (
  select distinct on (seller_id, ref)
    seller_id,
    -- The digits of base 16 are digits of base 32 too.
    'byr_' || left(replace(gen_random_uuid()::text, '-', ''), 26) as buyer_id,
    ref,
    buyer_alias as alias,
    recorded_at as first_seen_at
  from (
    select
      *,
      coalesce(customer_ref, 'alias:' || case
        when pg_temp.is_contact(buyer_alias) then encode(sha256(convert_to(buyer_alias, 'UTF8')), 'hex')
        else buyer_alias end) as ref
    from sales_order) placed
  where ref is not null
  order by seller_id, ref, recorded_at, order_id) first_seen;

update sales_order o
   set buyer_id = b.buyer_id,
       buyer_alias = case when pg_temp.is_contact(o.buyer_alias) then b.alias else o.buyer_alias end
  from buyer b
 where b.seller_id = o.seller_id
   and b.customer_ref = coalesce(o.customer_ref, 'alias:' || case
         when pg_temp.is_contact(o.buyer_alias) then encode(sha256(convert_to(o.buyer_alias, 'UTF8')), 'hex')
         else o.buyer_alias end);
alter table sales_order force row level security;
alter table buyer force row level security;

create index sales_order_buyer on sales_order (seller_id, buyer_id, recorded_at, order_id)
  where buyer_id is not null;
create index sales_order_without_buyer on sales_order (seller_id, customer_ref)
  where buyer_id is null and customer_ref is not null;

-- For the erasure of buyers: their orders, and whether units are still to be delivered.
create view v_orders_buyer with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.buyer_id,
  o.customer_ref,
  o.erased_at,
  exists (
    select
    from order_line l
    where l.seller_id = o.seller_id
      and l.order_id = o.order_id
      and l.awaiting + l.accepted_open + l.in_transit > 0) as is_open
from sales_order o;
grant select on v_orders_buyer to spp_app, spp_system;

-- The quote of a label names the address too.
create or replace view v_orders_label with (security_invoker = true) as
select
  l.seller_id,
  l.label_id,
  s.order_id,
  o.order_number,
  l.shipment_id,
  l.status,
  l.carrier,
  l.service,
  l.tracking_number,
  l.price_minor,
  l.content,
  l.created_at,
  l.voided_at,
  l.quote_id
from order_label l
join order_shipment s
  on s.seller_id = l.seller_id
  and s.shipment_id = l.shipment_id
join sales_order o
  on o.seller_id = s.seller_id
  and o.order_id = s.order_id;
