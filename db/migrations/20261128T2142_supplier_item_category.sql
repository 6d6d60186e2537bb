-- owner: supply
--
-- Without it a category with few items is looked for among all items.
create index supplier_item_category on supplier_item (category, published_at, supplier_item_id);
