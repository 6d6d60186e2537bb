-- owner: orders
--
-- What payment providers kept of paid orders. Of a charge that several orders share, an order bears its part.
create view v_orders_captured with (security_invoker = true) as
select seller_id,
       currency,
       recorded_at,
       captured_minor,
       coalesce(provider_fee_minor,
                round(charge_provider_fee_minor * captured_minor::numeric / charge_total_minor)) as fee_minor
  from sales_order
 where captured_minor > 0;
grant select on v_orders_captured to spp_app, spp_system;
