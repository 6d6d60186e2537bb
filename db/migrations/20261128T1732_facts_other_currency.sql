-- owner: facts
--
-- Days on which a product was sold in another currency than the seller's: figures of money leave these units
-- out.
create view v_facts_other_currency with (security_invoker = true) as
select seller_id,
       day,
       product_id
  from fact_sku_day
 where other_units > 0;
grant select on v_facts_other_currency to spp_app, spp_system;
