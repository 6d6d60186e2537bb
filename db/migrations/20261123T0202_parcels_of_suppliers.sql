-- owner: orders
alter table order_shipment
  drop constraint order_shipment_origin_check,
  add constraint order_shipment_origin_check check (origin in ('seller', 'marketplace', 'supplier'));
