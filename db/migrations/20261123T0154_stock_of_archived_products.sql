-- owner: products
--
-- Whether the product of a stock row is archived. Most products that are archived were sold out before, so
-- without it the count of what is sold out would look up each of them. Triggers keep it for every writer,
-- also for the release before.
alter table inventory add column archived boolean default false not null;

-- What a price is recommended for. Whether buyers see a product, apart from a closing of its seller.
create view v_products_priced with (security_invoker = true) as
select p.seller_id,
       p.product_id,
       p.seller_sku,
       p.category,
       p.price_minor,
       p.currency,
       p.version,
       coalesce(i.version, 0) as stock_version,
       p.status = 'active'
         and p.curation_state <> 'suspended'
         and p.live_version is not null
         and p.seller_sku is not null as is_visible
  from product p
  left join inventory i on i.seller_id = p.seller_id and i.product_id = p.product_id
 where p.status <> 'archived';
grant select on v_products_priced to spp_app, spp_system;

-- Row-level security would show the migration no row.
alter table inventory no force row level security;
alter table product no force row level security;
update inventory i
   set archived = true
  from product p
 where p.seller_id = i.seller_id
   and p.product_id = i.product_id
   and p.status = 'archived';
alter table inventory force row level security;
alter table product force row level security;
create trigger archives_stock after update of status on product
  for each row
  when ((old.status = 'archived') <> (new.status = 'archived'))
  execute function archive_stock();
create trigger begins_archived after insert on inventory
  for each row
  execute function archive_new_stock();
-- For the dashboard: stock that is sold out, and stock at or below its reorder point. The indexes hold only
-- these rows; archived products are few, and have an index of their own.
create index inventory_sold_out on inventory (seller_id, product_id)
  where not archived
    and quantity_on_hand <= quantity_reserved;
create index inventory_low on inventory (seller_id, product_id)
  where not archived
    and quantity_on_hand is not null
    and reorder_point is not null
    and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;

create view v_products_sold_out with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where not archived
  and quantity_on_hand <= quantity_reserved;
grant select on v_products_sold_out to spp_app, spp_system;

create view v_products_low with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where not archived
  and quantity_on_hand is not null
  and reorder_point is not null
  and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
grant select on v_products_low to spp_app, spp_system;

-- Who counts the units of a product: the seller, or the supplier of its dropship listing.
alter table inventory
  add column stock_source text not null default 'own' check (stock_source in ('own', 'supplier'));

-- For the categories in which a seller sells: those of active products without a price, which
-- product_on_sale leaves out. There are few of them, so the index is small.
create index product_unpriced on product (seller_id, category)
  where status = 'active'
    and price_minor is null;

create view v_products_unpriced with (security_invoker = true) as
select
  seller_id,
  category
from product
where status = 'active'
  and price_minor is null;
grant select on v_products_unpriced to spp_app, spp_system;
