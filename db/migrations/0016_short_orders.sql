-- Lines that hold less of the stock than they need: whoever brings units in asks whether somebody waits for them.
create view v_orders_short with (security_invoker = true) as
select seller_id, product_id, order_id from order_line
where reserved < awaiting + accepted_open and product_id is not null;
grant select on v_orders_short to spp_app, spp_system;
