-- When the marketplace gave money back: what the ledger counts by. Null of what was only asked for.
alter table order_refund add column made_at timestamptz;

-- Orders as money sees them.
create view v_orders_named with (security_invoker = true) as
select seller_id, order_id, external_order_id, currency from sales_order;
grant select on v_orders_named to spp_app, spp_system;
