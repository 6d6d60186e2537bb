-- owner: products
--
-- The search by words (`q`), and stock by its last change. Row-level security keeps the operators of
-- text search from an index, because they are not leakproof; the search below uses only equality and
-- ranges.
-- Source: docs/adr/0022-search-by-blocks.md.

-- Order of GET /products/inventory?updated_since=. Each change of stock costs an index entry more.
create index inventory_changed on inventory (seller_id, updated_at, product_id);

-- Products whose text the search index does not hold yet. One row per write, whatever number of
-- products it has.
create table product_search_queue (
  seller_id id not null,
  entry bigint generated always as identity,
  product_ids text[] not null,
  primary key (seller_id, entry)
);
select protect_seller_table('product_search_queue');

-- The products of a seller in the order of their ids, cut into blocks of about a thousand. A block ends
-- where the next one begins.
create table product_search_block (
  seller_id id not null,
  block integer not null,
  first_product_id id not null,
  last_product_id id not null,
  products integer not null,
  primary key (seller_id, block),
  unique (seller_id, first_product_id)
);
select protect_seller_table('product_search_block');

-- Which blocks hold a product whose text has a run of characters of this bucket: bit n stands for block
-- n. A bit stays when a text changes; the search reads the texts of a block before it shows any of its
-- products.
create table product_search_gram (
  seller_id id not null,
  bucket integer not null,
  blocks bytea not null,
  primary key (seller_id, bucket)
) with (fillfactor = 70);
select protect_seller_table('product_search_gram');
alter table product_search_gram alter column seller_id set statistics 0;

-- Products that exist already. Row-level security would show the migration none of them.
alter table product no force row level security;
alter table product_search_queue no force row level security;
insert into product_search_queue (seller_id, product_ids)
select seller_id, array_agg(product_id order by product_id)
  from (
    select seller_id, product_id, (row_number() over (partition by seller_id order by product_id) - 1) / 1000
      from product
  ) as numbered (seller_id, product_id, entry)
 group by seller_id, entry
 order by seller_id, entry;
alter table product force row level security;
alter table product_search_queue force row level security;

-- When the seller set the stock last; for a file, when the file was received. `updated_at` also moves with
-- orders. Null: not set since this column exists.
alter table inventory add column set_at timestamptz;

-- Which version of a product a decision of the marketplace is about, and which version buyers see.
-- Source: docs/design/feeds-and-imports.md#curation.
alter table product
  -- The approved version that buyers see. Its content is that of the product while the product is approved,
  -- otherwise it is in approved.
  add column live_version integer,
  add column approved_at timestamptz,
  -- The first version with the present reviewed content, and its time. Null before the first change of the
  -- product: then they are its version and the time of its last change.
  add column reviewed_from integer,
  add column reviewed_at timestamptz;

-- Versions of a product that a change replaced before the marketplace decided about them. Those of one row
-- have the same reviewed content.
create table product_past_review (
  seller_id id not null,
  product_id id not null,
  first_version integer not null,
  last_version integer not null,
  submitted_at timestamptz not null,
  replaced_at timestamptz not null,
  -- The reviewed fields: a decision about a version is about its content, whenever it arrives.
  -- Source: docs/design/feeds-and-imports.md#curation.
  content jsonb not null,
  -- The order of the last decision about it.
  decided_at timestamptz,
  decided_version bigint,
  primary key (seller_id, product_id, last_version)
);
select protect_seller_table('product_past_review');
