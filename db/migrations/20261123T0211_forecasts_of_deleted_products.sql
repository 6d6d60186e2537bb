-- owner: forecasting
create trigger deleted_forecasts after delete on product
  referencing old table as gone
  for each statement execute function forget_forecasts();
