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
