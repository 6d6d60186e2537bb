-- The numbers of a label's further packages: whoever reads one off a parcel finds the shipment by it. The first
-- package's is that of the shipment.
create table order_package_number (
  seller_id id not null,
  tracking_number text collate "C" not null,
  label_id id not null,
  shipment_id id not null,
  primary key (seller_id, tracking_number, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_package_number');

-- Those of labels that are void lead nowhere.
create view v_orders_package with (security_invoker = true) as
select n.seller_id, n.tracking_number, n.shipment_id
from order_package_number n join order_shipment s on s.seller_id = n.seller_id and s.shipment_id = n.shipment_id
where s.label_id = n.label_id;
grant select on v_orders_package to spp_app, spp_system;
