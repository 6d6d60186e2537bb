-- owner: reviews
--
-- Ratings and private feedback of buyers. Text, titles, photos and names of reviews have no column.
create table rating (
  seller_id id not null references seller,
  rating_id id not null,
  external_review_id text collate "C" not null,
  scope text not null check (scope in ('product', 'seller')),
  product_id id,
  -- Of ratings of the seller only: a rating of a product is public, and its order would name the reviewer.
  order_id id,
  buyer_id id,
  stars integer not null check (stars between 1 and 5),
  posted_stars integer not null check (posted_stars between 1 and 5),
  posted_at timestamptz not null,
  posted_on date not null,
  status text not null check (status in ('counted', 'excluded', 'removed')),
  revisions jsonb not null,
  revision integer not null,
  digest text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, rating_id),
  unique (seller_id, external_review_id),
  check ((scope = 'product') = (product_id is not null)),
  check ((scope = 'seller') = (order_id is not null)),
  check (scope = 'seller' or buyer_id is null)
);
select protect_seller_table('rating');
create index rating_product on rating (seller_id, product_id, rating_id) where product_id is not null;
create index rating_order on rating (seller_id, order_id) where order_id is not null;
create index rating_buyer on rating (seller_id, buyer_id) where buyer_id is not null;

-- Sums by the day of posting. A revision, an exclusion or a removal changes the sums of that day.
create table rating_day (
  seller_id id not null,
  scope text not null,
  -- Empty for ratings of the seller.
  product_id id not null,
  day date not null,
  n1 integer not null,
  n2 integer not null,
  n3 integer not null,
  n4 integer not null,
  n5 integer not null,
  excluded_count integer not null,
  removed_count integer not null,
  primary key (seller_id, scope, product_id, day)
);
select protect_seller_table('rating_day');
create index rating_day_scope on rating_day (seller_id, scope, day);

create function sum_ratings_by_day() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    perform add_to_rating_day(old, -1);
  end if;
  perform add_to_rating_day(new, 1);
  return null;
end $$;
create trigger summed_by_day_insert after insert on rating
  for each row execute function sum_ratings_by_day();
create trigger summed_by_day_update after update on rating
  for each row when (old.status <> new.status or old.stars <> new.stars)
  execute function sum_ratings_by_day();

create table feedback (
  seller_id id not null references seller,
  feedback_id id not null,
  external_feedback_id text collate "C" not null,
  order_id id not null,
  buyer_id id,
  topic text not null check (topic in (
    'delivery', 'packaging', 'item_condition', 'description', 'service', 'price', 'other')),
  -- Null after the erasure of the buyer, or after the time for which texts are kept.
  text text,
  masked jsonb not null,
  redacted jsonb,
  posted_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by id,
  status text not null check (status in ('open', 'acknowledged', 'withdrawn')),
  withdrawn_at timestamptz,
  digest text,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, feedback_id),
  unique (seller_id, external_feedback_id)
);
select protect_seller_table('feedback');
create index feedback_order on feedback (seller_id, order_id);
create index feedback_buyer on feedback (seller_id, buyer_id) where buyer_id is not null;
create index feedback_age on feedback (created_at) where text is not null;
create index rating_changed on rating (seller_id, updated_at) where scope = 'seller';

-- Every rating of a seller, so that a ticket can be about one. Only a rating of the seller has an order.
create view v_reviews_named with (security_invoker = true) as
select seller_id, rating_id, order_id
from rating;
grant select on v_reviews_named to spp_app, spp_system;
