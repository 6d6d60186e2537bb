-- owner: products
--
-- For the estimates of promotions: the categories of what is on sale, and the dearest products of each,
-- without a read of the whole catalogue. The empty text stands for no category, so that every product on
-- sale has one. Below row-level security an index serves only conditions that leak nothing. PostgreSQL
-- counts `case` among them, but not `coalesce`. The index has a condition that only a search by category
-- meets: without statistics the planner would take it for searches by SKU too.
create index product_on_sale on product (
  seller_id,
  (case when status <> 'active' or price_minor is null then null
        when category is null then ''
        else category end),
  price_minor desc
) where case when status <> 'active' or price_minor is null then null
             when category is null then ''
             else category end is not null;

-- For promotions: what buyers can order, and its price.
create view v_products_on_sale with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  price_minor,
  currency,
  case when status <> 'active' or price_minor is null then null
       when category is null then ''
       else category end as category_or_none
from product
where status = 'active'
  and price_minor is not null;
grant select on v_products_on_sale to spp_app, spp_system;

create function archive_stock() returns trigger language plpgsql as $$
begin
  update inventory
     set archived = (new.status = 'archived')
   where seller_id = new.seller_id
     and product_id = new.product_id;
  return null;
end $$;

create function archive_new_stock() returns trigger language plpgsql as $$
begin
  if exists (
    select 1
      from product
     where seller_id = new.seller_id
       and product_id = new.product_id
       and status = 'archived'
  ) then
    update inventory
       set archived = true
     where seller_id = new.seller_id
       and product_id = new.product_id;
  end if;
  return null;
end $$;
