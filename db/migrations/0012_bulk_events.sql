-- Events of bulk writes wait for their numbers several hundred to a row: written once each, in their place in the
-- log, instead of twice; and a run that is not committed yet leaves the sequencer a few rows to pass over, not
-- hundreds of thousands.
create table outbox_bulk (
  seller_id id not null,
  -- In one order with the events that wait by themselves.
  outbox_id bigint not null default nextval('outbox_outbox_id_seq'),
  -- How the ids of their objects begin. Waiting events of other kinds of objects may pass them.
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
-- Its arrays are read whole and soon deleted: not worth the time of compressing them.
alter table outbox_bulk alter event_ids set storage external, alter types set storage external,
  alter object_ids set storage external;
