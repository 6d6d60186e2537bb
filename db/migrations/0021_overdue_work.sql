-- What the dashboard asks of orders and feeds with an instant of its own: the service's clock decides what is overdue.
create view v_orders_to_dispatch with (security_invoker = true) as
select seller_id, order_id, dispatch_by from sales_order where accepted_open > 0;
create view v_products_feed_runs with (security_invoker = true) as
select seller_id, run_id, status, received_at from feed_run;
grant select on v_orders_to_dispatch, v_products_feed_runs to spp_app, spp_system;
