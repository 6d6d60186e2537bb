-- owner: fees

-- not a seller table: the marketplace publishes its rates to every seller.
create table fee_schedule (
  version text collate "C" primary key,
  effective_from date not null,
  platform_fee_default_bps integer not null check (platform_fee_default_bps between 0 and 10000),
  -- [{"category", "bps"}]. The reader takes the most specific category.
  category_overrides json not null,
  shipping_fee_bps integer not null check (shipping_fee_bps between 0 and 10000),
  loyalty_program_fund_bps integer not null check (loyalty_program_fund_bps between 0 and 10000),
  seller_order_fee_minor bigint not null check (seller_order_fee_minor >= 0),
  dispute_fee_minor bigint not null check (dispute_fee_minor >= 0),
  published_at timestamptz not null
);
create index fee_schedule_effective on fee_schedule (effective_from, published_at);
select publish_table('fee_schedule');
