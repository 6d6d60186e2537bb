-- Since when a parcel has its label; null where it does not go by a label of the service.
create or replace view v_orders_parcel with (security_invoker = true) as
select s.seller_id, s.shipment_id, s.order_id, o.order_number, s.carrier, s.service, s.tracking_number, s.status,
  s.dispatched_at, s.delivered_at, o.ship_to, s.packages, s.label_id, l.content->'tracking_numbers' as tracking_numbers,
  l.created_at as labelled_at
from order_shipment s join sales_order o on o.seller_id = s.seller_id and o.order_id = s.order_id
  left join order_label l on l.seller_id = s.seller_id and l.label_id = s.label_id and l.tracking_number = s.tracking_number
where s.carrier is not null;

-- What was told of parcels on their way, in the order in which it was recorded.
create view v_orders_tracking with (security_invoker = true) as
select seller_id, shipment_id, position, status, at, location, detail from order_tracking;
grant select on v_orders_tracking to spp_app, spp_system;
