-- owner: facts
--
-- Row-level security would show the migration no rows. The newest change of stock stands for the instant of
-- this migration on the service's clock.
alter table inventory no force row level security;
alter table fact_outage no force row level security;
alter table fact_progress no force row level security;
insert into fact_outage (seller_id, product_id, cause, from_at)
select seller_id, product_id, 'out_of_stock', updated_at
  from inventory
 where quantity_on_hand <= quantity_reserved;
insert into fact_progress (seller_id, stock_known_from)
select seller_id, max(updated_at)
  from inventory
 group by seller_id;
alter table fact_progress force row level security;
alter table fact_outage force row level security;
alter table inventory force row level security;

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

-- Days on which a product was sold in another currency than the seller's: figures of money leave these units
-- out.
create view v_facts_other_currency with (security_invoker = true) as
select seller_id,
       day,
       product_id
  from fact_sku_day
 where other_units > 0;
grant select on v_facts_other_currency to spp_app, spp_system;
