-- owner: reviews
--
-- For quality: ratings of the seller by its orders, and which have changed.
create view v_reviews_rating with (security_invoker = true) as
select
  seller_id,
  rating_id,
  order_id,
  stars,
  status,
  posted_at,
  updated_at
from rating
where scope = 'seller';
grant select on v_reviews_rating to spp_app, spp_system;
create index rating_changed on rating (seller_id, updated_at) where scope = 'seller';
