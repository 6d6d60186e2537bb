-- owner: profitability
--
-- What the seller says that a unit, and the freight of an order, costs from a day on. Only profitability and
-- pricing read it; it is no part of the ledger.
create table unit_cost (
  seller_id id not null references seller,
  cost_id id not null,
  -- Null for the freight of an order.
  product_id id,
  component text not null check (component in ('supplier_cost', 'external_freight')),
  currency text not null,
  effective_from date not null,
  -- Millionths of the currency's unit; null: not known from this day on.
  amount_micros bigint check (amount_micros >= 0),
  entered_at timestamptz not null,
  entered_by id not null,
  -- What a cost is about: a product, or the empty text for the freight of an order. Below row-level
  -- security an index serves only conditions that leak nothing, and PostgreSQL does not count `coalesce`
  -- among them: each look-up of a cost read all costs of the seller.
  about text collate "C" not null generated always as (coalesce(product_id, '')) stored,
  primary key (seller_id, cost_id),
  check ((component = 'supplier_cost') = (product_id is not null))
);
select protect_seller_table('unit_cost');
create index unit_cost_newest on unit_cost (seller_id, entered_at, cost_id);

create function refuse_change_of_a_unit_cost() returns trigger language plpgsql as $$
begin
  raise exception 'unit costs are append-only';
end $$;
create trigger append_only
  before update or delete on unit_cost
  for each row execute function refuse_change_of_a_unit_cost();
create index unit_cost_in_force
  on unit_cost (seller_id, about, currency, effective_from, entered_at, cost_id);

-- A cost of a purchase says what it lacks, so that pricing can name it.
create view v_profitability_cost with (security_invoker = true) as
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
grant select on v_profitability_cost to spp_app, spp_system;
