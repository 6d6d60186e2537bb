-- owner: orders
--
-- What a packer sees of the goods, as they were when the order was placed; null on lines of earlier orders.
alter table order_line
  add column gtin text collate "C",
  add column weight_g integer,
  add column image_url text;

-- An accepted order whose payment has not arrived needs attention. Row-level security would show the
-- migration none of them.
alter table sales_order no force row level security;
update sales_order
   set attention = array_append(attention, 'payment_pending')
 where payment_status = 'pending'
   and accepted_open > 0;
alter table sales_order force row level security;

-- The list of orders by the state of their payment: nearly all are captured, so the others have an index.
create index sales_order_not_captured on sales_order (seller_id, recorded_at, order_id)
  where payment_status <> 'captured';

-- Orders name their buyer by the pseudonym. A job gives the orders of the release before theirs, one by one;
-- until then the reference finds them.
alter table sales_order
  add column buyer_id id,
  -- When the personal data of the order were erased.
  add column erased_at timestamptz;

create index sales_order_buyer on sales_order (seller_id, buyer_id, recorded_at, order_id)
  where buyer_id is not null;
create index sales_order_without_buyer on sales_order (seller_id, customer_ref, order_id)
  where buyer_id is null and erased_at is null and (customer_ref is not null or buyer_alias is not null);

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
create view v_orders_label with (security_invoker = true) as
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
grant select on v_orders_label to spp_app, spp_system;

-- For tickets: parts of orders by their ids.
create view v_orders_part with (security_invoker = true) as
select seller_id, 'return_id' as name, return_id as id, order_id
from order_return
union all
select seller_id, 'refund_id', refund_id, order_id
from order_refund
union all
select seller_id, 'dispute_id', dispute_id, order_id
from order_dispute
union all
select seller_id, 'shipment_id', shipment_id, order_id
from order_shipment;
grant select on v_orders_part to spp_app, spp_system;
