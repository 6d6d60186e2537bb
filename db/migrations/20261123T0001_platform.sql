-- owner: platform
--
-- What every module stands on: the stamps for tables, keys, plan counts, jobs, files and the clock.
--
-- The role spp_migration creates and owns every table. protect_seller_table stamps the tables that hold rows
-- of sellers. A table without that stamp says why, in a line that begins with "-- not a seller table:".

-- Row-level security for a table whose rows each belong to one seller.
create function protect_seller_table(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy seller on %s to spp_app
       using (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))
       with check (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))', target);
  -- The worker has a policy of its own: an OR in the seller's policy would cost the index.
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to spp_app, spp_system', target);
end $$;

-- Row-level security for a table that every seller may read and only the service writes.
create function publish_table(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy everybody on %s for select to spp_app using (true)', target);
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select on %s to spp_app', target);
  execute format('grant select, insert, update on %s to spp_system', target);
end $$;

-- PostgreSQL compares identifiers byte by byte, whatever the database's collation: the order and the speed of
-- keyset pages depend on it.
create domain id as text collate "C";

create table idempotency_key (
  seller_id id not null,
  route_id text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  headers json,
  body text,
  -- The object that the first request works on, for example a feed run. The key has no answer before it ends.
  reference id,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (seller_id, route_id, key)
);
select protect_seller_table('idempotency_key');
create index idempotency_key_expiry on idempotency_key (expires_at);

-- How much of a plan's limits a seller uses. Triggers on the counted tables keep it, so no code path forgets
-- it.
create table usage_counter (
  seller_id id not null,
  resource text not null,
  used integer not null check (used >= 0),
  primary key (seller_id, resource)
);
select protect_seller_table('usage_counter');

create view v_platform_usage with (security_invoker = true) as
select
  seller_id,
  resource,
  used
from usage_counter;
grant select on v_platform_usage to spp_app, spp_system;

-- not a seller table: a key names a seller or an address. Unlogged: after a crash all windows start again.
create unlogged table rate_window (
  key text not null,
  window_start bigint not null,
  leased integer not null,
  expires_at timestamptz not null,
  primary key (key, window_start)
);
create index rate_window_expiry on rate_window (expires_at);
grant select, insert, update, delete on rate_window to spp_system;

-- not a seller table: some jobs have no seller. A seller's scope may add jobs of that seller only.
create table job (
  job_id id primary key,
  kind text not null,
  seller_id id,
  payload jsonb not null default '{}',
  -- At most one job per kind and key exists.
  unique_key text,
  due_at timestamptz not null,
  -- On the system's clock: when a worker dies, another worker takes the job after the lease.
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
  -- Null: the file stays as long as something refers to it.
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
-- Uploads are compressed already or live briefly: compressing them costs more than it saves.
alter table file_chunk alter column data set storage external;
select protect_seller_table('file_chunk');

-- not a seller table: one clock serves all sellers. It has one row, and only while CLOCK=manual.
create table service_clock (
  one boolean primary key default true check (one),
  now timestamptz not null
);
grant select, insert, update on service_clock to spp_system;
