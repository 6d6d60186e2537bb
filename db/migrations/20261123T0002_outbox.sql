-- owner: platform
--
-- The outbox. A write adds its events here in its own transaction. The sequencer numbers committed events per
-- seller without gaps, so that no request waits for another one.

create table outbox (
  seller_id id not null,
  outbox_id bigint generated always as identity,
  event_id id not null,
  type text not null,
  object_id id not null,
  object_version integer not null,
  -- Null for bulk writes: their objects are in event_object.
  data json,
  correlation json,
  created_at timestamptz not null,
  -- Null until the sequencer numbers the event; 0 for events that only the marketplace receives.
  sequence bigint,
  -- The place in the marketplace's stream; null for events that the marketplace does not receive.
  position bigint,
  primary key (seller_id, outbox_id)
);
select protect_seller_table('outbox');
create index outbox_unnumbered on outbox (seller_id, outbox_id) where sequence is null;
create unique index outbox_sequence on outbox (seller_id, sequence) where sequence > 0;
create index outbox_told on outbox (position) where position is not null;
-- Events stay for thirty days; the retention job finds older ones by this index. Rows come in its order, so
-- an entry costs almost nothing.
create index outbox_age on outbox (created_at) where sequence is not null;
-- The next event about the same object. An event whose object is read late must not show a newer object than
-- the next event does. Events of bulk writes have no entry.
create index outbox_object on outbox (seller_id, object_id, sequence) where data is not null;

-- Events of bulk writes wait for their numbers several hundred to a row. Each is then written once, not
-- twice. A run that has not committed yet costs the sequencer a few rows to skip, not hundreds of thousands.
create table outbox_bulk (
  seller_id id not null,
  -- In one order with the events of outbox.
  outbox_id bigint not null default nextval('outbox_outbox_id_seq'),
  -- The prefix of the objects' ids. Waiting events about another kind of object need not keep this order.
  kind text not null,
  event_ids text[] not null,
  types text[] not null,
  object_ids text[] not null,
  object_versions integer[] not null,
  correlation json,
  created_at timestamptz not null,
  primary key (seller_id, outbox_id)
);
select protect_seller_table('outbox_bulk');
grant usage on sequence outbox_outbox_id_seq to spp_app, spp_system;
-- The sequencer reads these arrays whole and deletes them soon: compressing them is not worth the time.
alter table outbox_bulk
  alter event_ids set storage external,
  alter types set storage external,
  alter object_ids set storage external;

create table event_sequence (
  seller_id id primary key,
  last bigint not null,
  -- The sequencer's round that last numbered an event of this seller. Readers of new events begin with the
  -- sellers whose round is newer than their own last look. Rounds commit one after another.
  round bigint not null default 0
);
select protect_seller_table('event_sequence');
create index event_sequence_round on event_sequence (round);

-- not a seller table: one order over the events of all sellers, in which the marketplace reads them.
create table outbox_head (
  one boolean primary key default true check (one),
  last bigint not null,
  round bigint not null default 0
);
insert into outbox_head (last) values (0);
grant select, update on outbox_head to spp_system;

-- What events of bulk writes show, once a reader has asked for them. In the outbox row it would make the row
-- five times as long, move it, and add an entry to five indexes.
create table event_object (
  seller_id id not null,
  -- The number of the event.
  sequence bigint not null,
  type text not null,
  object_id id not null,
  -- The version that the event shows; the event itself may be about an earlier version.
  object_version integer not null,
  data json not null,
  -- Unique without object_id too. This one index, in this order, finds both what the next event about an
  -- object shows and what an event shows. With two indexes, a planner without statistics takes the wrong one.
  primary key (seller_id, object_id, sequence)
) with (toast_tuple_target = 4080);
select protect_seller_table('event_object');

-- For webhooks and the marketplace: the events of the outbox.
create view v_platform_event with (security_invoker = true) as
select
  seller_id,
  outbox_id,
  event_id,
  type,
  object_id,
  object_version,
  data,
  correlation,
  created_at,
  sequence,
  position
from outbox;
grant select on v_platform_event to spp_app, spp_system;

-- For webhooks: events of bulk writes that have no number yet.
create view v_platform_bulk_event with (security_invoker = true) as
select
  seller_id,
  outbox_id,
  event_ids
from outbox_bulk;
grant select on v_platform_bulk_event to spp_app, spp_system;

-- For webhooks: the number of each seller's last event.
create view v_platform_event_sequence with (security_invoker = true) as
select
  seller_id,
  last,
  round
from event_sequence;
grant select on v_platform_event_sequence to spp_app, spp_system;

-- For webhooks: the sequencer's last round.
create view v_platform_round with (security_invoker = true) as
select round
from outbox_head;
grant select on v_platform_round to spp_system;
