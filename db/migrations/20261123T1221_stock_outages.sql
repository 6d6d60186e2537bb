-- owner: products
--
-- Days from reordering a product to its arrival; null: the setting `default_lead_time_days` holds.
alter table inventory add column lead_time_days integer check (lead_time_days between 0 and 365);

-- Times in which a product with counted stock had none to sell. Figures of sales leave them out. The time
-- before this table exists counts as in stock.
create table stock_outage (
  seller_id id not null,
  product_id id not null,
  from_at timestamptz not null,
  -- Null while the outage lasts.
  to_at timestamptz check (to_at >= from_at),
  primary key (seller_id, product_id, from_at)
);
select protect_seller_table('stock_outage');
create index stock_outage_ended on stock_outage (to_at) where to_at is not null;

-- A trigger sees every writer of stock: sellers, files and orders. `updated_at` has the service's clock,
-- which may differ by milliseconds between processes.
create function record_stock_outage() returns trigger language plpgsql as $$
begin
  if new.quantity_on_hand <= new.quantity_reserved then
    insert into stock_outage (seller_id, product_id, from_at)
    values (new.seller_id, new.product_id, new.updated_at)
        on conflict (seller_id, product_id, from_at) do update
       set to_at = null;
  else
    update stock_outage
       set to_at = greatest(from_at, new.updated_at)
     where seller_id = new.seller_id
       and product_id = new.product_id
       and to_at is null;
  end if;
  return null;
end
$$;
create trigger outage_begins after insert on inventory
  for each row when (new.quantity_on_hand <= new.quantity_reserved)
  execute function record_stock_outage();
create trigger outage_flips after update on inventory
  for each row when (
    coalesce(old.quantity_on_hand <= old.quantity_reserved, false)
    <> coalesce(new.quantity_on_hand <= new.quantity_reserved, false)
  )
  execute function record_stock_outage();

-- Products that are out of stock now.
insert into stock_outage (seller_id, product_id, from_at)
select seller_id, product_id, updated_at
  from inventory
 where quantity_on_hand <= quantity_reserved;
