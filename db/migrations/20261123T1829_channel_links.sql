-- owner: channels
--
-- Which product each variant of a connected store is, and the stock that the store says it has of each item.

alter table channel
  -- Per field of a product, who wins where both sides changed it; a field that is left out has its default.
  add column rules jsonb not null default '{}',
  add column stock_mode text not null default 'pool' check (stock_mode in ('pool', 'mirror')),
  -- Whether a variant that is no product yet becomes one.
  add column create_products boolean not null default true;

create table channel_link (
  seller_id id not null,
  link_id id not null,
  channel_id id not null,
  external_product_id text not null,
  external_variant_id text not null,
  inventory_item_id text,
  external_sku text,
  title text not null,
  -- A link that is gone keeps it, so that the same variant finds its product again.
  product_id id,
  state text not null check (state in ('unlinked', 'linked', 'ignored', 'gone')),
  linked_by text check (linked_by in ('identity', 'import', 'member')),
  -- Per field the value that was last taken from the store.
  base jsonb not null default '{}',
  -- The store's quantity when it was last applied; null: never.
  base_level bigint,
  -- How far the stock would be below zero.
  shortfall bigint not null default 0,
  -- The store's instant of the newest state that was applied, and the digest of that state.
  external_updated_at timestamptz not null,
  content_sha256 text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, link_id),
  foreign key (seller_id, channel_id) references channel,
  unique (seller_id, channel_id, external_variant_id),
  unique (seller_id, channel_id, inventory_item_id),
  check (state <> 'linked' or product_id is not null)
);
select protect_seller_table('channel_link');
-- One product has at most one variant of a store.
create unique index channel_link_product on channel_link (seller_id, channel_id, product_id)
  where product_id is not null;
create index channel_link_of_product on channel_link (seller_id, product_id)
  where product_id is not null;
create index channel_link_page on channel_link (seller_id, channel_id, link_id);
create index channel_link_external on channel_link (seller_id, channel_id, external_product_id);
-- The same product of a store in the channels of several sellers.
create index channel_link_anywhere on channel_link (external_product_id);

create table channel_level (
  seller_id id not null,
  channel_id id not null,
  inventory_item_id text not null,
  location_id text not null,
  -- Null: the store does not count there.
  available integer,
  -- The store's own instant.
  updated_at timestamptz not null,
  active boolean not null default true,
  primary key (seller_id, channel_id, inventory_item_id, location_id),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('channel_level');

alter table integration_issue
  add column product_id id,
  add column candidates jsonb not null default '[]',
  -- The member who resolved it; null: it resolved itself.
  add column resolved_by id;

alter table channel_delivery
  -- The issue that waits for a person.
  add column issue_id id,
  -- Findings about the content, as row results of feeds have them.
  add column messages jsonb not null default '[]';
-- What was decided about an object before.
create index channel_delivery_object on channel_delivery (seller_id, channel_id, object_key, received_at);
