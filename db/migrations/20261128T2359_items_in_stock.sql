-- owner: supply
--
-- Without it a search for items in stock reads all items when suppliers have few. The column changes only
-- when an item sells out or comes back, so most counts touch no index.
alter table supplier_item
  add column in_stock boolean not null
    generated always as (coalesce(available > 0, false)) stored;
create index supplier_item_in_stock on supplier_item (published_at, supplier_item_id)
  where in_stock and status = 'active';
