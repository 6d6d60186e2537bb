-- not a seller table: how far the demo marketplace of development has told its past. At most one row, never in
-- production.
create table demo_history (
  one boolean primary key default true check (one),
  -- The seller that the past is of; null before it has signed in.
  seller_id id,
  began_at timestamptz not null,
  -- Where the past's clock stands; nothing has happened behind it.
  clock_at timestamptz not null,
  -- Null until the past is told to its end.
  ended_at timestamptz
);
grant select, insert, update on demo_history to spp_system;
