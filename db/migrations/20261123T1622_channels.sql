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

-- not a seller table: the browser that comes from the store names no seller, only a secret.
create table channel_authorisation (
  -- SHA-256 of the secret in the start address.
  ticket_hash text primary key,
  -- SHA-256 of the state that the store returns, and of the browser's cookie; set when the browser starts.
  state_hash text unique,
  browser_hash text,
  seller_id id not null,
  channel_id id not null,
  member_id id not null,
  order_visibility boolean not null,
  return_url text,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index channel_authorisation_expiry on channel_authorisation (expires_at);
create index channel_authorisation_channel on channel_authorisation (channel_id);
alter table channel_authorisation enable row level security;
alter table channel_authorisation force row level security;
-- A seller's scope adds authorisations of that seller only.
create policy seller on channel_authorisation to spp_app
  using (seller_id = nullif(current_setting('app.seller_id', true), ''))
  with check (seller_id = nullif(current_setting('app.seller_id', true), ''));
create policy system on channel_authorisation to spp_system using (true) with check (true);
grant select, insert, delete on channel_authorisation to spp_app;
grant select, insert, update, delete on channel_authorisation to spp_system;

create table channel_location (
  seller_id id not null,
  channel_id id not null,
  location_id text not null,
  name text not null,
  active boolean not null,
  primary key (seller_id, channel_id, location_id),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('channel_location');

create table integration_issue (
  seller_id id not null,
  issue_id id not null,
  channel_id id not null,
  kind text not null,
  -- What the issue is about, in the store's words; one open issue for each.
  external_key text not null,
  state text not null check (state in ('open', 'resolved', 'ignored')),
  facts jsonb not null,
  times integer not null,
  resolution text,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, issue_id),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('integration_issue');
create unique index integration_issue_key on integration_issue (seller_id, channel_id, kind, external_key);
