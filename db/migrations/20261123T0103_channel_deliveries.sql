-- owner: channels
--
-- What connected stores send: each delivery with its decision, the orders of the stores, and the digests
-- by which a repeated body is known.

create table channel_delivery (
  seller_id id not null,
  delivery_id id not null,
  channel_id id not null,
  topic text not null,
  webhook_id text not null,
  event_id text,
  triggered_at timestamptz,
  body_sha256 text not null,
  -- The part of the body that the decision needs; deleted with the decision. Never a whole order.
  body jsonb,
  object_key text not null,
  origin text not null,
  status text not null,
  reason text,
  decision jsonb not null default '{}',
  changes jsonb not null default '[]',
  received_at timestamptz not null,
  processed_at timestamptz,
  -- The issue that waits for a person.
  issue_id id,
  -- Findings about the content, as row results of feeds have them.
  messages jsonb not null default '[]',
  -- Numbers the copies of a body that wait, or were refused by themselves. Copies that two statements store
  -- at the same time do not see each other: they take the same number, and one of them is not stored. Null:
  -- decided since, or found by asking the store.
  copy integer,
  primary key (seller_id, delivery_id),
  foreign key (seller_id, channel_id) references channel,
  unique (seller_id, channel_id, webhook_id)
);
select protect_seller_table('channel_delivery');
create unique index channel_delivery_event
  on channel_delivery (seller_id, channel_id, event_id, topic, object_key)
  where event_id is not null;
create index channel_delivery_channel on channel_delivery (seller_id, channel_id, received_at);
create index channel_delivery_waiting on channel_delivery (seller_id, channel_id, object_key)
  where status = 'received';
create index channel_delivery_received on channel_delivery (received_at);

create table store_order (
  seller_id id not null,
  store_order_id id not null,
  channel_id id not null,
  external_order_id text not null,
  name text,
  status text not null check (status in ('open', 'cancelled', 'closed')),
  financial_status text,
  fulfillment_status text,
  currency text,
  total_minor bigint,
  test boolean not null,
  lines jsonb not null,
  placed_at timestamptz,
  external_updated_at timestamptz not null,
  cancelled_at timestamptz,
  recorded_at timestamptz not null,
  primary key (seller_id, store_order_id),
  foreign key (seller_id, channel_id) references channel,
  unique (seller_id, channel_id, external_order_id)
);
select protect_seller_table('store_order');
create index store_order_recorded on store_order (recorded_at);

-- not a seller table: a body that is sent again to the channel of another seller is known, too.
create table channel_digest (
  body_sha256 text primary key,
  channel_id id not null,
  delivery_id id not null,
  first_seen_at timestamptz not null
);
grant select, insert, update, delete on channel_digest to spp_system;
create index channel_digest_seen on channel_digest (first_seen_at);

-- What onboarding asks about stores: whether one is connected.
create view v_channels_onboarding with (security_invoker = true) as
select seller_id
from channel
where status in ('connected', 'degraded');
grant select on v_channels_onboarding to spp_app, spp_system;
