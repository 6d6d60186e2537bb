-- owner: dropship
--
-- Products whose stock is a supplier's count.
create table dropship_listing (
  seller_id id not null references seller,
  listing_id id not null,
  product_id id not null,
  supplier_item_id id not null,
  supplier_id id not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  paused_reasons text[] not null,
  buffer_units integer not null check (buffer_units between 0 and 1000),
  -- What a unit and an order cost the seller, as the supplier last published them.
  unit_cost_minor bigint not null check (unit_cost_minor >= 0),
  fee_minor bigint not null check (fee_minor >= 0),
  -- When the supplier last rejected units as out of stock: it has none until it counts later.
  empty_at timestamptz,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, listing_id),
  check ((status = 'paused') = (status <> 'ended' and cardinality(paused_reasons) > 0))
);
select protect_seller_table('dropship_listing');
create unique index dropship_listing_product on dropship_listing (seller_id, product_id)
  where status <> 'ended';
create unique index dropship_listing_item on dropship_listing (seller_id, supplier_item_id)
  where status <> 'ended';
create index dropship_listing_supplier on dropship_listing (supplier_id, seller_id)
  where status <> 'ended';
