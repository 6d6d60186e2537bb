-- owner: products
-- Low stock and sold-out products, last change first.
create index inventory_low_changed on inventory (seller_id, updated_at, product_id)
 where not archived
   and quantity_on_hand is not null
   and reorder_point is not null
   and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
create index inventory_sold_out_changed on inventory (seller_id, updated_at, product_id)
 where not archived
   and quantity_on_hand <= quantity_reserved;
