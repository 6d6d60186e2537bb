-- owner: forecasting
--
-- Each filter of the list has an index for each order, so that a page of rare rows reads these only. The
-- status is a range of the indexes of both orders. A night replaces all rows.
drop index forecast_product_due;
create index forecast_product_due on forecast_product (seller_id, reorder_due, stockout_on, product_id);
create index forecast_product_due_expected on forecast_product
  (seller_id, reorder_due, expected_units, product_id);
create index forecast_product_category on forecast_product (seller_id, category, stockout_on, product_id);
create index forecast_product_category_expected on forecast_product
  (seller_id, category, expected_units, product_id);
