-- owner: profitability
--
-- What a cost is about: a product, or the empty text for the freight of an order. Below row-level security
-- an index serves only conditions that leak nothing, and PostgreSQL does not count `coalesce` among them:
-- each look-up of a cost read all costs of the seller.
alter table unit_cost
  add column about text collate "C" not null generated always as (coalesce(product_id, '')) stored;
drop index unit_cost_in_force;
create index unit_cost_in_force
  on unit_cost (seller_id, about, currency, effective_from, entered_at, cost_id);

drop view v_profitability_cost;
create view v_profitability_cost with (security_invoker = true) as
select
  seller_id,
  about as product_id,
  cost_id,
  currency,
  effective_from,
  amount_micros,
  entered_at
from unit_cost
where component = 'supplier_cost';
grant select on v_profitability_cost to spp_app, spp_system;
