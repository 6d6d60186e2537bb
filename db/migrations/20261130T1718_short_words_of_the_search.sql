-- owner: products
-- The search now has runs of one and two characters. Products that are indexed already have none, so each
-- is queued again. Row-level security would show the migration none of them.
alter table product no force row level security;
alter table product_search_block no force row level security;
alter table product_search_queue no force row level security;
insert into product_search_queue (seller_id, product_ids)
select seller_id, array_agg(product_id order by product_id)
  from (
    select seller_id, product_id, (row_number() over (partition by seller_id order by product_id) - 1) / 1000
      from product p
     where exists (select from product_search_block b where b.seller_id = p.seller_id)
  ) as numbered (seller_id, product_id, entry)
 group by seller_id, entry
 order by seller_id, entry;
alter table product force row level security;
alter table product_search_block force row level security;
alter table product_search_queue force row level security;
