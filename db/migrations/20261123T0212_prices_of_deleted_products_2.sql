-- owner: pricing
create trigger deleted_prices after delete on product
  referencing old table as gone
  for each statement execute function forget_prices();
