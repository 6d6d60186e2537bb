-- owner: profitability
--
-- Costs of units for pricing: those that the seller has entered, and those of purchases through the
-- marketplace. In force is the one with the latest first day, of two the one entered later. A purchase whose
-- freight is not stated is no whole cost: pricing computes no margin from it (null), and from no older cost.
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
where component = 'supplier_cost'
union all
select
  seller_id,
  product_id::text collate "C",
  purchase_line_id,
  currency,
  effective_from,
  case when missing = '{}' then amount_micros end,
  entered_at
from v_wholesale_cost;
grant select on v_profitability_cost to spp_app, spp_system;
