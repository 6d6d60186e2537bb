-- owner: notifications

create table notification (
  seller_id id not null,
  notification_id id not null,
  -- The number of its event; of the last event when several say the same.
  sequence bigint not null,
  event_id id not null,
  type text not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  title text not null,
  object_id id not null,
  -- How many events in a row said the same about the same object.
  times integer not null default 1,
  occurred_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by id,
  expires_at timestamptz not null,
  primary key (seller_id, notification_id)
);
select protect_seller_table('notification');
create unique index notification_sequence on notification (seller_id, sequence);
-- While a notification is not acknowledged, further events of its kind about its object only count it up.
create unique index notification_open on notification (seller_id, type, object_id)
  where acknowledged_at is null;
create index notification_expiry on notification (expires_at);

-- The types of events that the seller does not want notifications of.
create table notification_preference (
  seller_id id not null,
  type text not null,
  updated_at timestamptz not null,
  primary key (seller_id, type)
);
select protect_seller_table('notification_preference');
