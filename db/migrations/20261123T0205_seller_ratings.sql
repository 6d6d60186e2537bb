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

-- The scope `products` has the sums of all ratings of products, so that a summary does not read a row for
-- each product.
create function add_to_rating_day(r rating, sign integer) returns void language sql as $$
  insert into rating_day as d
  select r.seller_id, p.scope, p.product_id, r.posted_on,
         sign * (r.status = 'counted' and r.stars = 1)::integer,
         sign * (r.status = 'counted' and r.stars = 2)::integer,
         sign * (r.status = 'counted' and r.stars = 3)::integer,
         sign * (r.status = 'counted' and r.stars = 4)::integer,
         sign * (r.status = 'counted' and r.stars = 5)::integer,
         sign * (r.status = 'excluded')::integer,
         sign * (r.status = 'removed')::integer
    from (values (r.scope, coalesce(r.product_id, '')), ('products', '')) as p (scope, product_id)
   where p.scope = r.scope
      or r.scope = 'product'
      on conflict (seller_id, scope, product_id, day) do update
     set n1 = d.n1 + excluded.n1,
         n2 = d.n2 + excluded.n2,
         n3 = d.n3 + excluded.n3,
         n4 = d.n4 + excluded.n4,
         n5 = d.n5 + excluded.n5,
         excluded_count = d.excluded_count + excluded.excluded_count,
         removed_count = d.removed_count + excluded.removed_count;
$$;
