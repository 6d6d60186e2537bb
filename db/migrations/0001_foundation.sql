-- Every table below is created by spp_migration. Seller tables are stamped by protect_seller_table; a table
-- that is not stamped says why in a line beginning with "-- not a seller table:".

create or replace function protect_seller_table(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy seller on %s to spp_app
       using (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))
       with check (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))', target);
  -- A second policy instead of an OR in the first, which would cost the index.
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to spp_app, spp_system', target);
end $$;

-- Identifiers are compared byte by byte whatever the database's collation: keyset order and speed depend on it.
create domain id as text collate "C";

create table seller (
  seller_id id primary key,
  business_name text not null,
  tax_id text not null,
  tax_id_check text not null check (tax_id_check in ('abn_valid', 'abn_invalid', 'not_abn')),
  status text not null check (status in ('active', 'suspended', 'closed')),
  verified boolean not null,
  api_access boolean not null,
  plan text not null check (plan in ('Free', 'Small', 'Big')),
  account_flags text[] not null default '{}',
  currency text not null default 'AUD',
  hold_days integer,
  min_payout_minor bigint,
  profile jsonb not null default '{}',
  settings jsonb not null default '{}',
  business jsonb not null default '{}',
  holiday jsonb,
  -- Instant (or object version) of the newest standing event that was applied; older ones are stale.
  standing_at timestamptz,
  standing_version bigint,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
select protect_seller_table('seller');

-- not a seller table: which marketplace identity is whom must be answered before a seller is known.
create table seller_identity (
  subject text primary key,
  seller_id id not null references seller,
  member_id id not null,
  bound_at timestamptz not null
);
grant select, insert, update, delete on seller_identity to spp_system;

-- not a seller table: a tax identifier belongs to one seller of the whole marketplace.
create table seller_tax_id (
  tax_id text primary key,
  seller_id id not null references seller
);
grant select, insert on seller_tax_id to spp_system;

create table team_member (
  seller_id id not null references seller,
  member_id id not null,
  -- Marketplace identity, once it is bound.
  subject text,
  email text,
  roles text[] not null,
  status text not null check (status in ('invited', 'active', 'removed')),
  invited_by id,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, member_id)
);
select protect_seller_table('team_member');
create unique index team_member_subject on team_member (seller_id, subject) where status <> 'removed';
create unique index team_member_email on team_member (seller_id, lower(email)) where status <> 'removed';
create index team_member_invited_subject on team_member (subject) where status = 'invited';
create index team_member_invited_email on team_member (lower(email)) where status = 'invited';

create table auth_session (
  seller_id id not null references seller,
  sid id not null,
  member_id id not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (seller_id, sid)
);
select protect_seller_table('auth_session');
create index auth_session_expiry on auth_session (expires_at);

create table idempotency_key (
  seller_id id not null,
  route_id text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  headers json,
  body text,
  -- What the key stands for while it has no answer yet, for example a feed run.
  reference id,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (seller_id, route_id, key)
);
select protect_seller_table('idempotency_key');
create index idempotency_key_expiry on idempotency_key (expires_at);

create table usage_counter (
  seller_id id not null,
  resource text not null,
  used integer not null check (used >= 0),
  primary key (seller_id, resource)
);
select protect_seller_table('usage_counter');

-- not a seller table: keys are sellers and addresses alike. Unlogged: after a crash the windows start anew.
create unlogged table rate_window (
  key text not null,
  window_start bigint not null,
  leased integer not null,
  expires_at timestamptz not null,
  primary key (key, window_start)
);
create index rate_window_expiry on rate_window (expires_at);
grant select, insert, update, delete on rate_window to spp_system;

-- Unnumbered: the sequencer numbers committed rows per seller, so that no request waits for another.
create table outbox (
  seller_id id not null,
  outbox_id bigint generated always as identity,
  event_id id not null,
  type text not null,
  object_id id not null,
  object_version integer not null,
  -- Null for bulk writes: the object is read when the event is numbered.
  data json,
  correlation json,
  created_at timestamptz not null,
  sequence bigint,
  primary key (seller_id, outbox_id)
);
select protect_seller_table('outbox');
create index outbox_unnumbered on outbox (outbox_id) where sequence is null;

-- not a seller table: some jobs belong to nobody. The seller's scope may only add jobs of its own.
create table job (
  job_id id primary key,
  kind text not null,
  seller_id id,
  payload jsonb not null default '{}',
  -- Same kind and key: one job.
  unique_key text,
  due_at timestamptz not null,
  -- On the system's clock: a worker that dies is replaced when its lease ends.
  lease_until timestamptz,
  lease_owner text,
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null
);
create unique index job_unique on job (kind, unique_key);
create index job_due on job (due_at);
alter table job enable row level security;
alter table job force row level security;
create policy seller on job to spp_app
  using (seller_id = nullif(current_setting('app.seller_id', true), ''))
  with check (seller_id = nullif(current_setting('app.seller_id', true), ''));
create policy system on job to spp_system using (true) with check (true);
grant select, insert, update, delete on job to spp_app, spp_system;

create table file (
  seller_id id not null,
  file_id id not null,
  purpose text not null,
  content_type text not null,
  bytes bigint not null,
  sha256 bytea not null,
  created_at timestamptz not null,
  -- Null: kept as long as something refers to it.
  expires_at timestamptz,
  primary key (seller_id, file_id)
);
select protect_seller_table('file');
create index file_expiry on file (expires_at) where expires_at is not null;

create table file_chunk (
  seller_id id not null,
  file_id id not null,
  seq integer not null,
  data bytea not null,
  primary key (seller_id, file_id, seq),
  foreign key (seller_id, file_id) references file on delete cascade
);
-- Uploads are compressed or short-lived; compressing them again costs more than it saves.
alter table file_chunk alter column data set storage external;
select protect_seller_table('file_chunk');

-- not a seller table: the clock rules everybody's time. One row, only while CLOCK=manual.
create table service_clock (
  one boolean primary key default true check (one),
  now timestamptz not null
);
grant select, insert, update on service_clock to spp_system;

-- not a seller table: the marketplace's ids are global; a seller sees only their effects.
create table marketplace_event (
  source text not null,
  event_id text not null,
  type text not null,
  subject text,
  seller_id id,
  digest bytea not null,
  status text not null check (status in ('applied', 'stale')),
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (source, event_id)
);
grant select, insert on marketplace_event to spp_system;

-- not a seller table: answers of the public business register.
create table abn_register_answer (
  abn text primary key,
  answer jsonb not null,
  checked_at timestamptz not null
);
grant select, insert, update, delete on abn_register_answer to spp_system;

-- Plan counts are kept by the database itself, so that no path can forget them.
create function count_team_members() returns trigger language plpgsql as $$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'team_members',
    case when new.status = 'removed' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'removed' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'removed' then 1 else 0 end;
  return null;
end $$;
create trigger team_member_count after insert or update on team_member
  for each row execute function count_team_members();
