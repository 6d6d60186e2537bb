-- A manifest lists what the driver counts: every package, each under its own number. Of manifests that were made
-- before a line stands for all packages of its shipment.
alter table shipping_manifest_line add column package integer not null default 1 check (package between 1 and packages);
alter table shipping_manifest_line drop constraint shipping_manifest_line_seller_id_shipment_id_key;
alter table shipping_manifest_line add unique (seller_id, shipment_id, package);

-- With the numbers of all packages, in their order; null where the parcel does not go by a label of the service.
create or replace view v_orders_parcel with (security_invoker = true) as
select s.seller_id, s.shipment_id, s.order_id, o.order_number, s.carrier, s.service, s.tracking_number, s.status,
  s.dispatched_at, s.delivered_at, o.ship_to, s.packages, s.label_id, l.content->'tracking_numbers' as tracking_numbers
from order_shipment s join sales_order o on o.seller_id = s.seller_id and o.order_id = s.order_id
  left join order_label l on l.seller_id = s.seller_id and l.label_id = s.label_id and l.tracking_number = s.tracking_number
where s.carrier is not null;
