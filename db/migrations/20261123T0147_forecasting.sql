-- owner: forecasting
--
-- What the last night knows of each product, and how the seller orders.
create table forecast_product (
  seller_id id not null,
  product_id id not null,
  seller_sku text collate "C",
  category text,
  status text not null check (status in ('forecast', 'insufficient_history')),
  -- Null without a lead time or counted stock.
  reorder_due boolean,
  -- 9999-12-31: not within a year, or unknown.
  stockout_on date not null,
  -- Of 28 days; -1: unknown.
  expected_units double precision not null,
  -- Null without a forecast.
  model json,
  -- The row of the list.
  shown json not null,
  through_on date not null,
  primary key (seller_id, product_id)
);
select protect_seller_table('forecast_product');
alter table forecast_product alter column seller_id set statistics 0;
create index forecast_product_stockout on forecast_product (seller_id, stockout_on, product_id);
create index forecast_product_expected on forecast_product (seller_id, expected_units, product_id);
create index forecast_product_sku on forecast_product (seller_id, seller_sku);

-- An empty product: what holds for all products.
create table forecast_policy (
  seller_id id not null,
  product_id id not null,
  lead_time_days integer check (lead_time_days between 0 and 365),
  review_days integer check (review_days between 1 and 90),
  service_level_bps integer check (service_level_bps between 5000 and 9900),
  pack_size integer check (pack_size between 1 and 10000),
  incoming_units integer check (incoming_units >= 0),
  version integer not null,
  primary key (seller_id, product_id)
);
select protect_seller_table('forecast_policy');

-- Each filter of the list has an index for each order, so that a page of rare rows reads these only. The
-- status is a range of the indexes of both orders. A night replaces all rows.
create index forecast_product_due on forecast_product (seller_id, reorder_due, stockout_on, product_id);
create index forecast_product_due_expected on forecast_product
  (seller_id, reorder_due, expected_units, product_id);
create index forecast_product_category on forecast_product (seller_id, category, stockout_on, product_id);
create index forecast_product_category_expected on forecast_product
  (seller_id, category, expected_units, product_id);

-- A revert deletes the products that its run has created. Their policies and forecasts go with them.
create function forget_forecasts() returns trigger language plpgsql as $$
begin
  delete from forecast_policy f using gone
   where f.seller_id = gone.seller_id and f.product_id = gone.product_id;
  delete from forecast_product f using gone
   where f.seller_id = gone.seller_id and f.product_id = gone.product_id;
  return null;
end $$;
create trigger deleted_forecasts after delete on product
  referencing old table as gone
  for each statement execute function forget_forecasts();
