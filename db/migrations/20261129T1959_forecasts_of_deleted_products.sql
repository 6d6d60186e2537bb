-- owner: forecasting
--
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
