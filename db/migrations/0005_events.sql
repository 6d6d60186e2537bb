-- Committed outbox rows get their numbers from one sequencer: gapless per seller, without any request waiting.
create table event_sequence (
  seller_id id primary key,
  last bigint not null
);
select protect_seller_table('event_sequence');

-- not a seller table: one order over all sellers, in which the marketplace reads what they did.
create table outbox_head (
  one boolean primary key default true check (one),
  last bigint not null
);
insert into outbox_head (last) values (0);
grant select, update on outbox_head to spp_system;

-- `sequence` is 0 for what only the marketplace is told; `position` is set for what it is told.
alter table outbox add column position bigint;
drop index outbox_unnumbered;
create index outbox_unnumbered on outbox (seller_id, outbox_id) where sequence is null;
create unique index outbox_sequence on outbox (seller_id, sequence) where sequence > 0;
create index outbox_told on outbox (position) where position is not null;
-- Only what was numbered has its age.
drop index outbox_age;
create index outbox_age on outbox (created_at) where sequence is not null;

create table notification (
  seller_id id not null,
  notification_id id not null,
  -- Of the event that it tells of; of the last one where several tell the same.
  sequence bigint not null,
  event_id id not null,
  type text not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  title text not null,
  object_id id not null,
  -- How many events in a row told the same of the same object.
  times integer not null default 1,
  occurred_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by id,
  expires_at timestamptz not null,
  primary key (seller_id, notification_id)
);
select protect_seller_table('notification');
create unique index notification_sequence on notification (seller_id, sequence);
-- What is not acknowledged yet is said once, however often it happens.
create unique index notification_open on notification (seller_id, type, object_id) where acknowledged_at is null;
create index notification_expiry on notification (expires_at);

create table notification_preference (
  seller_id id not null,
  type text not null,
  updated_at timestamptz not null,
  primary key (seller_id, type)
);
select protect_seller_table('notification_preference');
