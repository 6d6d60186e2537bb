-- owner: products
-- Pages of products of each status and review state, newest first.
create index product_state on product (seller_id, status, curation_state, product_id);
create index product_category on product (seller_id, category, product_id)
 where category is not null;
-- The list of the products of a profile is in the order of their ids.
drop index product_shipping_profile;
create index product_shipping_profile on product (seller_id, shipping_profile_id, product_id)
 where shipping_profile_id is not null;
