-- owner: facts
--
-- Facts by Sydney day, and the payloads that are computed from them at night.
-- Source: docs/design/facts.md.

-- The demand for a product on a day. A row exists where something was ordered.
create table fact_sku_day (
  seller_id id not null,
  -- The Sydney date on which the orders were placed.
  day date not null,
  product_id id not null,
  -- Ordered units less those that the buyer or the marketplace cancelled.
  demand_units integer not null,
  -- All ordered units in the seller's currency, and their net amount.
  ordered_units integer not null,
  ordered_minor bigint not null,
  -- Ordered units in other currencies.
  other_units integer not null,
  primary key (seller_id, day, product_id)
);
select protect_seller_table('fact_sku_day');
create index fact_sku_day_age on fact_sku_day (day);

-- Times in which a product could not be bought. An empty product stands for all products of the seller.
create table fact_outage (
  seller_id id not null,
  product_id id not null,
  cause text not null check (cause in ('out_of_stock', 'not_visible')),
  from_at timestamptz not null,
  -- Null while the outage lasts.
  to_at timestamptz check (to_at >= from_at),
  primary key (seller_id, product_id, cause, from_at)
);
select protect_seller_table('fact_outage');
create index fact_outage_ended on fact_outage (to_at) where to_at is not null;

create table fact_progress (
  seller_id id primary key,
  -- The last day that is counted whole, and the instant from which changed orders are searched.
  through_on date,
  watermark_at timestamptz,
  -- Stock before this instant is unknown and counts as enough. Null: all stock is known.
  stock_known_from timestamptz
);
select protect_seller_table('fact_progress');

create table insight_snapshot (
  seller_id id not null,
  -- `<area>.<payload>.v<n>`
  contract text not null,
  facts_through_on date,
  generated_at timestamptz not null,
  semantic_status text not null,
  status_reason text,
  missing text[] not null,
  -- Text of JSON keeps the order of its fields.
  body json,
  primary key (seller_id, contract)
);
select protect_seller_table('insight_snapshot');

-- The one write past an owner: a trigger sees every writer of stock, sellers, files, stores and orders alike.
create function record_outage() returns trigger language plpgsql as $$
begin
  if new.quantity_on_hand <= new.quantity_reserved then
    insert into fact_outage (seller_id, product_id, cause, from_at)
    values (new.seller_id, new.product_id, 'out_of_stock', new.updated_at)
        on conflict (seller_id, product_id, cause, from_at) do update
       set to_at = null;
  else
    update fact_outage
       set to_at = greatest(from_at, new.updated_at)
     where seller_id = new.seller_id
       and product_id = new.product_id
       and cause = 'out_of_stock'
       and to_at is null;
  end if;
  return null;
end $$;
create trigger outage_begins after insert on inventory
  for each row when (new.quantity_on_hand <= new.quantity_reserved)
  execute function record_outage();
create trigger outage_flips after update on inventory
  for each row when (
    coalesce(old.quantity_on_hand <= old.quantity_reserved, false)
    <> coalesce(new.quantity_on_hand <= new.quantity_reserved, false)
  )
  execute function record_outage();
