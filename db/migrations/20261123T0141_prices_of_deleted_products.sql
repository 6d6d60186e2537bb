-- owner: pricing
--
-- A revert deletes the products that its run has created. What is kept of their prices goes with them.
create function forget_prices() returns trigger language plpgsql as $$
begin
  delete from price_guardrail p using gone
   where p.seller_id = gone.seller_id and p.product_id = gone.product_id;
  delete from competitor_price p using gone
   where p.seller_id = gone.seller_id and p.product_id = gone.product_id;
  delete from price_evaluation p using gone
   where p.seller_id = gone.seller_id and p.product_id = gone.product_id;
  return null;
end $$;
create trigger deleted_prices after delete on product
  referencing old table as gone
  for each statement execute function forget_prices();
