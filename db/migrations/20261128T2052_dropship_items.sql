-- owner: dropship
--
-- What a supplier has accepted counts against its item: the seller may list the item for another product, and
-- another item for the product.
create index dropship_order_line_item on dropship_order_line (seller_id, supplier_item_id, last_accepted_at)
  where last_accepted_at is not null;
drop index dropship_order_line_accepted;
-- An item that was rejected as out of stock stays so when it is listed anew.
create index dropship_listing_empty on dropship_listing (seller_id, supplier_item_id)
  where empty_at is not null;

-- Old dropship orders are deleted with their parts.
create index dropship_order_age on dropship_order (updated_at)
  where status in ('shipped', 'returned', 'cancelled');
alter table dropship_order_line
  drop constraint dropship_order_line_seller_id_dropship_order_id_fkey,
  add foreign key (seller_id, dropship_order_id) references dropship_order on delete cascade;
alter table dropship_fact
  drop constraint dropship_fact_seller_id_dropship_order_id_fkey,
  add foreign key (seller_id, dropship_order_id) references dropship_order on delete cascade;

-- Items that sellers have listed.
create view v_dropship_items with (security_invoker = true) as
select supplier_item_id
  from dropship_listing;
grant select on v_dropship_items to spp_system;
