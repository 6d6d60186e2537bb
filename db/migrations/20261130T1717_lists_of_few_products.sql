-- owner: products
-- Drafts, inactive products, and those that the marketplace has not approved: mostly few of a large
-- catalogue, and what a seller looks for.
create index if not exists product_off_sale on product (seller_id, status, product_id)
 where status in ('draft', 'inactive');
create index if not exists product_to_review on product (seller_id, curation_state, product_id)
 where curation_state <> 'approved';
-- Low stock and sold-out products, last change first.
create index if not exists inventory_low_changed on inventory (seller_id, updated_at, product_id)
 where not archived
   and quantity_on_hand is not null
   and reorder_point is not null
   and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
create index if not exists inventory_sold_out_changed on inventory (seller_id, updated_at, product_id)
 where not archived
   and quantity_on_hand <= quantity_reserved;
