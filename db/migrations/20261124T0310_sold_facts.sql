-- owner: facts
--
-- For marketplace intel: units that were sold on a day, and their mean price.
create view v_facts_sold with (security_invoker = true) as
select
  seller_id,
  day,
  product_id,
  ordered_units as units,
  (2 * ordered_minor + ordered_units) / (2 * ordered_units) as price_minor
from fact_sku_day
where ordered_units > 0;
grant select on v_facts_sold to spp_app, spp_system;
