-- owner: orders
--
-- Units of a line that a supplier sends: they wait for its answer, or it has accepted them.
alter table order_line
  add column supplied integer not null default 0,
  add column supplied_accepted integer not null default 0,
  add constraint accepted_units_are_supplied check (supplied_accepted between 0 and supplied);
create index order_line_supplied on order_line (seller_id, product_id) where supplied > 0;

create view v_orders_supplied with (security_invoker = true) as
select seller_id,
       order_id,
       order_line_id,
       line_no,
       product_id,
       supplied,
       supplied_accepted
  from order_line
 where supplied > 0;
grant select on v_orders_supplied to spp_app, spp_system;

alter table order_shipment
  drop constraint order_shipment_origin_check,
  add constraint order_shipment_origin_check check (origin in ('seller', 'marketplace', 'supplier'));
