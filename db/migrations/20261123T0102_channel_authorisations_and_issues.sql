-- owner: channels
--
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
  product_id id,
  candidates jsonb not null default '[]',
  -- The member who resolved it; null: it resolved itself.
  resolved_by id,
  primary key (seller_id, issue_id),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('integration_issue');
create unique index integration_issue_key on integration_issue (seller_id, channel_id, kind, external_key);
