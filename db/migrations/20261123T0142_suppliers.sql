-- owner: supply
--
-- Suppliers of the marketplace, and what they offer to sellers.

-- not a seller table: suppliers publish themselves to every seller.
create table supplier (
  supplier_id id primary key,
  -- The marketplace's id where it has another form.
  external_id text collate "C" unique,
  name text not null,
  about text,
  categories text[] not null,
  ships_from jsonb not null,
  currency text not null,
  minimum_order_minor bigint not null check (minimum_order_minor >= 0),
  -- Null: not stated, which is not zero.
  flat_freight_minor bigint check (flat_freight_minor >= 0),
  free_freight_from_minor bigint check (free_freight_from_minor >= 0),
  lead_time_days jsonb,
  payment_terms text,
  status text not null check (status in ('active', 'paused', 'closed')),
  -- The newest event about it.
  told_at timestamptz not null,
  told_version bigint,
  updated_at timestamptz not null,
  -- Folded name, description and categories: words of a search find a supplier by them.
  search_text text collate "C",
  -- Active items, and those of them that can be dropshipped. Each publication of items adds the difference.
  items integer not null default 0,
  dropship_items integer not null default 0
);
select publish_table('supplier');

-- not a seller table: suppliers publish their items to every seller.
create table supplier_item (
  supplier_item_id id primary key,
  supplier_id id not null references supplier,
  external_id text collate "C",
  supplier_sku text collate "C" not null,
  title text not null,
  description text,
  brand text,
  mpn text,
  gtin14 text collate "C",
  category text,
  image_urls text[] not null,
  -- Prices are for packs, so that 144 screws for 1.95 have an exact price.
  pack_size integer not null check (pack_size > 0),
  minimum_quantity integer not null check (minimum_quantity > 0),
  maximum_quantity integer check (maximum_quantity >= minimum_quantity),
  price_breaks jsonb not null,
  rrp_minor bigint check (rrp_minor >= 0),
  dropship jsonb,
  status text not null check (status in ('active', 'discontinued')),
  told_at timestamptz not null,
  told_version bigint,
  -- The newest count; null: not counted.
  available integer check (available >= 0),
  available_as_of timestamptz,
  published_at timestamptz not null,
  updated_at timestamptz not null,
  -- How sellers find items of suppliers: by words of their texts, and by brand and part number without
  -- accents and capitals. The service folds the texts.
  search_text text not null default '',
  brand_folded text collate "C",
  mpn_folded text collate "C",
  search tsvector not null
    generated always as (to_tsvector('simple'::regconfig, search_text)) stored,
  -- Without it a search for items in stock reads all items when suppliers have few. The column changes only
  -- when an item sells out or comes back, so most counts touch no index.
  in_stock boolean not null
    generated always as (coalesce(available > 0, false)) stored,
  unique (supplier_id, external_id),
  -- Deferred, so that one event may give two items each other's SKU.
  unique (supplier_id, supplier_sku) deferrable initially deferred
);
select publish_table('supplier_item');
grant delete on supplier_item to spp_system;
