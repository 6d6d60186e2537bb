-- owner: webhooks

-- Where the service delivers a seller's events. A deleted endpoint stays: its delivery records refer to it.
create table webhook_endpoint (
  seller_id id not null references seller,
  endpoint_id id not null,
  url text not null,
  description text,
  -- Types of events, or patterns like order.* and *.
  event_types text[] not null,
  payload text not null check (payload in ('full', 'thin')),
  ordering text not null check (ordering in ('per_object', 'none')),
  max_concurrency integer not null check (max_concurrency between 1 and 100),
  status text not null check (status in ('active', 'paused', 'disabled', 'deleted')),
  -- Why the service disabled it: failing, gone.
  reason text,
  status_changed_at timestamptz not null,
  -- Sealed. So are the secrets that it replaced, newest first: [{"secret", "until"}].
  secret text not null,
  retired_secrets jsonb not null default '[]',
  -- Every attempt since this instant has failed; null after a success.
  failing_since timestamptz,
  -- Events up to this number are deliveries, where the endpoint asks for their type.
  fanned_through bigint not null,
  -- Events that had no number yet at the instant from which the endpoint gets deliveries; it does not get
  -- these.
  passed_over text[] not null default '{}',
  -- One worker at a time delivers to an endpoint. On the system's clock: another worker replaces a dead one.
  lease_until timestamptz,
  lease_owner text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, endpoint_id)
) with (fillfactor = 70);
select protect_seller_table('webhook_endpoint');
-- A resumed endpoint may have missed many events, none of them new.
create index webhook_endpoint_changed on webhook_endpoint (status_changed_at);

create function count_webhook_endpoints() returns trigger language plpgsql as $$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'webhook_endpoints', case when new.status = 'deleted' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'deleted' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'deleted' then 1 else 0 end;
  return null;
end $$;
create trigger webhook_endpoint_count
  after insert or update of status on webhook_endpoint
  for each row execute function count_webhook_endpoints();

-- One event for one endpoint. Receivers see the event's id as webhook-id, the same in every attempt.
create table webhook_delivery (
  seller_id id not null,
  delivery_id id not null,
  endpoint_id id not null,
  event_id id not null,
  -- The number of the event; null for a test event, which is not in the outbox.
  sequence bigint,
  type text not null,
  object_id id not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  -- Why it failed or was cancelled: exhausted, aborted, expired, skipped, endpoint_deleted.
  reason text,
  trigger text not null check (trigger in ('event', 'test', 'retry', 'replay')),
  attempts integer not null default 0,
  -- How many steps of the retry schedule are used; a retry by hand starts the schedule again.
  step integer not null default 0,
  -- Of a pending delivery. Null: it waits for an earlier delivery about the same object.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  last_status integer,
  last_error text,
  replay_id id,
  -- Of a test event only; the outbox has all others.
  test_event json,
  created_at timestamptz not null,
  completed_at timestamptz,
  -- Replays that this delivery belonged to when a later replay took it over, and that still wait for it.
  earlier_replays text[],
  primary key (seller_id, delivery_id),
  unique (seller_id, endpoint_id, event_id)
);
select protect_seller_table('webhook_delivery');
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at, sequence)
  where status = 'pending';
create index webhook_delivery_test on webhook_delivery (endpoint_id)
  where status = 'pending' and trigger = 'test';
create index webhook_delivery_failed on webhook_delivery (seller_id, delivery_id) where status = 'failed';
-- A replay of failed events finds the first of them, however long the history is.
create index webhook_delivery_given_up on webhook_delivery (seller_id, endpoint_id, sequence)
  where status in ('failed', 'cancelled');
create index webhook_delivery_replayed on webhook_delivery (seller_id, replay_id) where replay_id is not null;
-- Rows come in the order of their age: ranges of blocks are enough, at a thousandth of the entries.
create index webhook_delivery_age on webhook_delivery using brin (created_at);

-- No foreign key to the delivery: its check would lock the row that the same transaction writes.
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
  -- Attempts of test events do not count for the endpoint's health.
  test boolean not null default false,
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
  -- The replay ends with this event; the endpoint gets later events without it.
  through bigint not null,
  -- The replay has queued its events up to this number.
  queued_through bigint not null default 0,
  status text not null check (status in ('running', 'queued', 'failed')),
  total integer not null,
  created_at timestamptz not null,
  -- How many events are queued so far. Of these, the service has sent those that are no longer pending.
  queued integer not null default 0,
  primary key (seller_id, replay_id)
);
select protect_seller_table('webhook_replay');
