-- owner: products
--
-- Whether the product of a stock row is archived. Most products that are archived were sold out before, so
-- without it the count of what is sold out would look up each of them. Triggers keep it for every writer,
-- also for the release before.
alter table inventory add column archived boolean default false not null;

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

create function archive_stock() returns trigger language plpgsql as $$
begin
  update inventory
     set archived = (new.status = 'archived')
   where seller_id = new.seller_id
     and product_id = new.product_id;
  return null;
end $$;
create trigger archives_stock after update of status on product
  for each row
  when ((old.status = 'archived') <> (new.status = 'archived'))
  execute function archive_stock();

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
create trigger begins_archived after insert on inventory
  for each row
  execute function archive_new_stock();

drop index inventory_sold_out;
drop index inventory_low;
create index inventory_sold_out on inventory (seller_id, product_id)
  where not archived
    and quantity_on_hand <= quantity_reserved;
create index inventory_low on inventory (seller_id, product_id)
  where not archived
    and quantity_on_hand is not null
    and reorder_point is not null
    and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;

create or replace view v_products_sold_out with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where not archived
  and quantity_on_hand <= quantity_reserved;
create or replace view v_products_low with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where not archived
  and quantity_on_hand is not null
  and reorder_point is not null
  and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
