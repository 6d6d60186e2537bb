-- owner: marketplace
--
-- What the marketplace sent.

-- not a seller table: the marketplace's event ids are global. A seller sees only the effects of its events.
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
