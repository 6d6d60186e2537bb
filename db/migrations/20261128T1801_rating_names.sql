-- owner: reviews
--
-- Every rating of a seller, so that a ticket can be about one. Only a rating of the seller has an order.

create view v_reviews_named with (security_invoker = true) as
select seller_id, rating_id, order_id
from rating;
grant select on v_reviews_named to spp_app, spp_system;
