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
