-- owner: channels
--
-- Connections to stores: the channels of a seller, the tokens of each, the flow that makes them, and the
-- issues that a person must solve.

create table channel (
  seller_id id not null,
  channel_id id not null,
  platform text not null check (platform in ('shopify')),
  shop_domain text not null,
  shop_id text,
  shop_name text,
  currency text,
  status text not null check (status in ('authorising', 'connected', 'degraded', 'ended')),
  status_reason text,
  inbound text not null default 'active' check (inbound in ('active', 'paused')),
  order_visibility boolean not null default false,
  -- The scopes that the store granted.
  scopes text[] not null default '{}',
  -- Tokens are sealed; their context is the channel. Without an expiry the access token does not expire.
  access_sealed text,
  access_expires_at timestamptz,
  refresh_sealed text,
  -- The refresh token before the present one, in case the store has lost the present one.
  refresh_previous_sealed text,
  refresh_expires_at timestamptz,
  -- On the system's clock: the worker that refreshes the tokens.
  refreshing_until timestamptz,
  -- Since when the store has not answered.
  unreachable_since timestamptz,
  -- Topics for which the store had a subscription at the last check.
  subscribed text[] not null default '{}',
  checked_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Per field of a product, who wins where both sides changed it; a field that is left out has its default.
  rules jsonb not null default '{}',
  stock_mode text not null default 'pool' check (stock_mode in ('pool', 'mirror')),
  -- Whether a variant that is no product yet becomes one.
  create_products boolean not null default true,
  -- Ids of the locations whose stock counts.
  selected_locations text[] not null default '{}',
  -- When the store was connected. Until an import is applied, a sweep leaves out what did not change since.
  -- Null: it never was.
  connected_at timestamptz,
  -- When the last applied import ended; null: none, or the last one was reverted.
  imported_at timestamptz,
  -- Changes of the store until then are compared.
  watermark timestamptz,
  -- When everything was compared for the last time.
  swept_whole_at timestamptz,
  -- What the last sweep has found.
  last_sweep jsonb,
  -- What is left to do in the store of a channel that has ended. Until it is done, the channel keeps its
  -- tokens and its store, so that no other connection of the store can suffer from it.
  leaving text check (leaving in ('uninstall', 'unsubscribe')),
  leaving_until timestamptz,
  -- Null while the store is being asked.
  leaving_result text check (leaving_result in ('done', 'failed')),
  -- What the store answered last, if it failed.
  leaving_error text,
  -- When a member last linked, unlinked or ignored a variant; null: never.
  links_changed_at timestamptz,
  -- The rules by which a channel counts the stock of its store, the newest last. A change of the rule
  -- writes no link: each link keeps by which rule it was counted, and catches up.
  counting jsonb not null
    default '[{"no": 0, "open": [], "closed": [], "mode": "pool", "moves": false}]',
  -- In which connection of its channel a link's levels were asked for, so that a new connection writes no
  -- link.
  connections integer not null default 1,
  -- Whether products of the channel are to be taken off sale.
  deactivating boolean not null default false,
  primary key (seller_id, channel_id),
  -- A store that is connected again has the same channel.
  unique (seller_id, platform, shop_domain)
);
select protect_seller_table('channel');
-- For the topics of privacy law, which come after the end of a connection.
create index channel_domain on channel (shop_domain);

-- not a seller table: a store belongs to one seller of the whole service, until its channel ends.
create table channel_shop (
  platform text not null,
  shop_domain text not null,
  seller_id id not null,
  channel_id id not null,
  primary key (platform, shop_domain)
);
alter table channel_shop enable row level security;
alter table channel_shop force row level security;
-- A seller's scope gives up its own stores; the system's takes them.
create policy seller on channel_shop to spp_app
  using (seller_id = nullif(current_setting('app.seller_id', true), ''))
  with check (seller_id = nullif(current_setting('app.seller_id', true), ''));
create policy system on channel_shop to spp_system using (true) with check (true);
grant select, delete on channel_shop to spp_app;
grant select, insert, update, delete on channel_shop to spp_system;
