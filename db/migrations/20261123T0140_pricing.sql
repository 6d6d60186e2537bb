-- owner: pricing
--
-- Recommended prices. Nothing here changes the price of a product.
create table price_guardrail (
  seller_id id not null references seller,
  product_id id not null,
  floor_minor bigint check (floor_minor > 0),
  ceiling_minor bigint check (ceiling_minor > 0),
  min_margin_bps integer check (min_margin_bps between 0 and 9000),
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, product_id),
  check (floor_minor <= ceiling_minor)
);
select protect_seller_table('price_guardrail');
create index price_guardrail_changed on price_guardrail (seller_id, updated_at);

create table price_rule (
  seller_id id not null references seller,
  rule_id id not null,
  name text not null,
  priority integer not null,
  scope jsonb not null,
  strategy text not null check (strategy in ('match_lowest', 'hold_margin')),
  params jsonb not null,
  active boolean not null,
  -- Products whose rule it was at the last evaluation of all products; null before it.
  matched_products integer,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, rule_id)
);
select protect_seller_table('price_rule');

-- The newest observation of other sellers' offers of a product.
create table competitor_price (
  seller_id id not null references seller,
  product_id id not null,
  condition text not null,
  currency text not null,
  observed_at timestamptz not null,
  offers_count integer not null,
  lowest_minor bigint,
  featured_minor bigint,
  featured_is_own boolean not null,
  recorded_at timestamptz not null,
  primary key (seller_id, product_id)
);
select protect_seller_table('competitor_price');
create index competitor_price_changed on competitor_price (seller_id, recorded_at);

create table price_evaluation (
  seller_id id not null references seller,
  product_id id not null,
  -- Levels of the product's category, for the list.
  category text collate "C",
  rule_id id,
  status text not null check (status in ('recommended', 'blocked', 'no_change', 'no_rule')),
  code text,
  target_minor bigint,
  effective_floor_minor bigint,
  steps jsonb not null,
  product_version integer not null,
  evaluated_at timestamptz not null,
  -- The pass that evaluated it.
  pass integer not null,
  primary key (seller_id, product_id),
  check (status = 'no_rule' or rule_id is not null)
);
select protect_seller_table('price_evaluation');
create index price_evaluation_status on price_evaluation (seller_id, status, product_id);
create index price_evaluation_category on price_evaluation (seller_id, category, product_id);

-- The last evaluation of a seller's products.
create table price_pass (
  seller_id id not null references seller,
  pass integer not null,
  evaluated_at timestamptz not null,
  -- What payment providers kept of the paid orders, in hundredths of a per cent, as the last evaluation of
  -- all products has counted it; null: not known. Without a currency it was not counted.
  currency text,
  processing_bps integer,
  primary key (seller_id)
);
select protect_seller_table('price_pass');

-- For promotions: prices that the seller does not want to go below.
create view v_pricing_floor with (security_invoker = true) as
select
  seller_id,
  product_id,
  floor_minor
from price_guardrail
where floor_minor is not null;
grant select on v_pricing_floor to spp_app, spp_system;
