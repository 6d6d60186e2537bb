-- owner: quality
--
-- How ready each product is for sale. A worker follows the numbered events of the seller.
create table quality_product (
  seller_id id not null,
  product_id id not null,
  ready boolean not null,
  score integer not null check (score between 0 and 100),
  codes text[] not null,
  product_version integer not null,
  primary key (seller_id, product_id)
);
select protect_seller_table('quality_product');
-- As in the catalogue: a seller without statistics must not look like one row.
alter table quality_product alter column seller_id set statistics 0;
create index quality_product_order on quality_product (seller_id, ready, score, product_id);

-- A list by a code reads its own index, so that a rare code does not walk the whole catalogue.
do $$
declare
  code text;
begin
  foreach code in array array[
    'sku_missing', 'title_missing', 'price_missing', 'identity_missing', 'not_active', 'not_submitted',
    'under_review', 'curation_rejected', 'curation_suspended', 'image_missing', 'images_few',
    'description_short', 'title_length', 'title_style', 'category_shallow', 'brand_missing',
    'global_id_missing', 'attributes_few'] loop
    execute format('create index quality_product_%s on quality_product (seller_id, ready, score, product_id)
      where %L = any(codes)', code, code);
  end loop;
end $$;

create table quality_progress (
  seller_id id not null,
  -- The last event that was followed.
  sequence bigint not null,
  -- The last product of the first read of the catalogue; null once all were read.
  filled_to text collate "C",
  -- Sums over quality_product, so that a summary reads one row.
  sums jsonb not null,
  -- Products that flipped within feed runs that have not ended.
  runs jsonb not null default '{}',
  refreshed_at timestamptz,
  primary key (seller_id)
);
select protect_seller_table('quality_progress');

-- How the seller serves its orders: what counts against it, and sums by Sydney day.
create table quality_event (
  seller_id id not null,
  event_id id not null,
  metric text not null,
  order_id id not null,
  -- The reference day of the order for this metric.
  day date not null,
  -- Since when it counts.
  since_at timestamptz not null,
  fact jsonb not null,
  -- False: a contest was upheld.
  counted boolean not null,
  -- An order may count again after it has ceased to: its event keeps its id, its contest and its decision.
  gone boolean not null default false,
  primary key (seller_id, event_id),
  unique (seller_id, order_id, metric)
);
select protect_seller_table('quality_event');
create index quality_event_day on quality_event (seller_id, metric, day, event_id);
create index quality_event_age on quality_event (day);

create table quality_day (
  seller_id id not null,
  metric text not null,
  day date not null,
  numerator integer not null,
  denominator integer not null,
  primary key (seller_id, metric, day)
);
select protect_seller_table('quality_day');
create index quality_day_age on quality_day (day);

-- The days on which each order is counted, so that a changed order leaves its old days.
create table quality_order (
  seller_id id not null,
  order_id id not null,
  -- By metric.
  days jsonb not null,
  -- The last of them.
  day date not null,
  primary key (seller_id, order_id)
);
select protect_seller_table('quality_order');
create index quality_order_age on quality_order (day);
