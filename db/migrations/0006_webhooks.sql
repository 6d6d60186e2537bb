-- Where a seller wants to be told of events. Deleted ones stay for the sake of their delivery records.
create table webhook_endpoint (
  seller_id id not null references seller,
  endpoint_id id not null,
  url text not null,
  description text,
  -- Types, or patterns like order.* and *.
  event_types text[] not null,
  payload text not null check (payload in ('full', 'thin')),
  ordering text not null check (ordering in ('per_object', 'none')),
  max_concurrency integer not null check (max_concurrency between 1 and 100),
  status text not null check (status in ('active', 'paused', 'disabled', 'deleted')),
  -- Why it is disabled: failing, gone.
  reason text,
  status_changed_at timestamptz not null,
  -- Sealed, like those that it has replaced: [{"secret", "until"}], the newest first.
  secret text not null,
  retired_secrets jsonb not null default '[]',
  -- Every attempt since then has failed; null after a success.
  failing_since timestamptz,
  -- Events up to this number have become deliveries where their type is asked for.
  fanned_through bigint not null,
  -- Events that had no number yet when deliveries were to begin with what happens from then on.
  passed_over text[] not null default '{}',
  -- One worker at a time delivers to an endpoint; on the system's clock, so that a dead one is replaced.
  lease_until timestamptz,
  lease_owner text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, endpoint_id)
) with (fillfactor = 70);
select protect_seller_table('webhook_endpoint');

-- One event for one endpoint; the id is what receivers see as webhook-id, whatever the number of attempts.
create table webhook_delivery (
  seller_id id not null,
  delivery_id id not null,
  endpoint_id id not null,
  event_id id not null,
  -- Number of the event; null for test events, which are none of the seller's.
  sequence bigint,
  type text not null,
  object_id id not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  -- Why it failed or was cancelled: exhausted, aborted, expired, skipped, endpoint_deleted.
  reason text,
  trigger text not null check (trigger in ('event', 'test', 'retry', 'replay')),
  attempts integer not null default 0,
  -- How much of the retry schedule is used up; a retry by hand begins it anew.
  step integer not null default 0,
  -- Of a pending one; null: it waits behind an earlier one of the same object.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  last_status integer,
  last_error text,
  replay_id id,
  -- Of test events only; the others are in the outbox.
  test_event json,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (seller_id, delivery_id),
  unique (seller_id, endpoint_id, event_id)
);
select protect_seller_table('webhook_delivery');
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at, sequence) where status = 'pending';
create index webhook_delivery_test on webhook_delivery (endpoint_id) where status = 'pending' and trigger = 'test';
create index webhook_delivery_failed on webhook_delivery (seller_id, delivery_id) where status = 'failed';
create index webhook_delivery_replayed on webhook_delivery (seller_id, replay_id) where replay_id is not null;
-- They are made in order of their age: blocks say enough, and cost a thousandth of entries.
create index webhook_delivery_age on webhook_delivery using brin (created_at);

-- Without a reference to its delivery: checking it would lock the row that is being written.
create table webhook_attempt (
  seller_id id not null,
  delivery_id id not null,
  attempt integer not null,
  endpoint_id id not null,
  at timestamptz not null,
  duration_ms integer not null,
  status integer,
  error text,
  response_head text,
  primary key (seller_id, delivery_id, attempt)
);
select protect_seller_table('webhook_attempt');
create index webhook_attempt_recent on webhook_attempt (seller_id, endpoint_id, at);

create table webhook_replay (
  seller_id id not null,
  replay_id id not null,
  endpoint_id id not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  types text[],
  only_failed boolean not null,
  -- Its events end here: what comes later is delivered anyway.
  through bigint not null,
  -- Events up to this number are in the queue.
  queued_through bigint not null default 0,
  status text not null check (status in ('running', 'queued', 'failed')),
  total integer not null,
  created_at timestamptz not null,
  primary key (seller_id, replay_id)
);
select protect_seller_table('webhook_replay');

-- Plan counts are kept by the database itself, so that no path can forget them.
create function count_webhook_endpoints() returns trigger language plpgsql as $$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'webhook_endpoints', case when new.status = 'deleted' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'deleted' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'deleted' then 1 else 0 end;
  return null;
end $$;
create trigger webhook_endpoint_count after insert or update of status on webhook_endpoint
  for each row execute function count_webhook_endpoints();
