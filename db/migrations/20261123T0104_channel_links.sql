-- owner: channels
--
-- Which product each variant of a connected store is, and the stock that the store says it has of each item.

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
  -- Whether a quantity of the store was applied since the variant was linked. If it was and `base_level` is
  -- null, the next known quantity becomes the base and moves no stock.
  counted boolean not null default false,
  -- Null: a delivery or a member has made the link.
  import_run_id id,
  counted_by integer not null default 0,
  asked_in integer not null default 0,
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
  -- The delivery that brought it; null: the store was asked.
  delivery_id id,
  primary key (seller_id, channel_id, inventory_item_id, location_id),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('channel_level');
-- What was decided about an object before.
create index channel_delivery_object on channel_delivery (seller_id, channel_id, object_key, received_at);
-- Tokens belong to a connection, or to the end of one.
alter table channel add constraint channel_tokens
  check (access_sealed is null
         or status in ('connected', 'degraded')
         or status = 'ended' and leaving is not null and leaving_result is null);

-- When a seller was last told about issues of a kind, and how many opened since: one event an hour.
create table integration_issue_notice (
  seller_id id not null,
  channel_id id not null,
  kind text not null,
  told_at timestamptz not null,
  waiting integer not null,
  primary key (seller_id, channel_id, kind),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('integration_issue_notice');

-- The file of an import names the product of each variant. A preview is stale once a member has changed
-- a link.
create view v_channels_linking with (security_invoker = true) as
select
  seller_id,
  channel_id,
  links_changed_at
from channel;
grant select on v_channels_linking to spp_app, spp_system;
