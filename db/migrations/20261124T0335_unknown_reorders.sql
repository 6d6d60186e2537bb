-- owner: forecasting
--
-- Without a lead time or counted stock it is unknown whether a product is due to be reordered. A night
-- replaces all rows.
alter table forecast_product alter column reorder_due drop not null;
