-- owner: profitability
--
-- A cost of a purchase says what it lacks, so that pricing can name it.
create or replace view v_profitability_cost with (security_invoker = true) as
select
  seller_id,
  about as product_id,
  cost_id,
  currency,
  effective_from,
  amount_micros,
  entered_at,
  '{}'::text[] as missing
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
  entered_at,
  missing
from v_wholesale_cost;
