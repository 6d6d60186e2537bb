-- owner: orders
--
-- Labels and open parcels of all orders, for the lists of shipping.

create index order_label_created on order_label (seller_id, created_at, label_id);
-- Parcels that are not at their end. There are few of them, however many were sent.
create index order_shipment_open on order_shipment (seller_id, shipment_id)
  where tracking_number is not null
    and status in ('draft', 'dispatched', 'in_transit', 'out_for_delivery', 'failed');

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
  l.voided_at
from order_label l
join order_shipment s
  on s.seller_id = l.seller_id
  and s.shipment_id = l.shipment_id
join sales_order o
  on o.seller_id = s.seller_id
  and o.order_id = s.order_id;
grant select on v_orders_label to spp_app, spp_system;

-- Parcels, with a carrier or without.
create view v_orders_shipment with (security_invoker = true) as
select
  seller_id,
  shipment_id,
  order_id
from order_shipment
where status <> 'cancelled';
grant select on v_orders_shipment to spp_app, spp_system;

-- What is in a parcel.
create view v_orders_packed with (security_invoker = true) as
select
  p.seller_id,
  p.shipment_id,
  l.seller_sku
from order_shipment_line p
join order_line l
  on l.seller_id = p.seller_id
  and l.order_line_id = p.order_line_id
where p.quantity > 0;
grant select on v_orders_packed to spp_app, spp_system;

create or replace view v_orders_parcel with (security_invoker = true) as
select
  s.seller_id,
  s.shipment_id,
  s.order_id,
  o.order_number,
  s.carrier,
  s.service,
  s.tracking_number,
  s.status,
  s.dispatched_at,
  s.delivered_at,
  o.ship_to,
  s.packages,
  s.label_id,
  l.content->'tracking_numbers' as tracking_numbers,
  l.created_at as labelled_at,
  o.dispatch_by
from order_shipment s
join sales_order o
  on o.seller_id = s.seller_id
  and o.order_id = s.order_id
left join order_label l
  on l.seller_id = s.seller_id
  and l.label_id = s.label_id
  and l.tracking_number = s.tracking_number
where s.carrier is not null;
