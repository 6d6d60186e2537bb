-- owner: profitability
--
-- Costs of units for pricing. In force is the one with the latest first day, of two the one entered later.
create view v_profitability_cost with (security_invoker = true) as
select seller_id,
       coalesce(product_id, '') as product_id,
       cost_id,
       currency,
       effective_from,
       amount_micros,
       entered_at
  from unit_cost
 where component = 'supplier_cost';
grant select on v_profitability_cost to spp_app, spp_system;
