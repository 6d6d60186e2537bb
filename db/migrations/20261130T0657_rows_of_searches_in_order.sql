-- owner: search-insights
-- A page of the searches of a week, those with the most impressions first.
create index search_row_shown on search_row (seller_id, period, (-impressions), query, product_id);
-- The sums of products, from the index alone.
create index search_row_product on search_row (seller_id, period, product_id)
  include (impressions, clicks, purchases, market_impressions);
