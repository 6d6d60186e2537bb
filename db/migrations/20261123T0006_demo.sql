-- owner: demo
--
-- The simulated marketplace of development.

-- not a seller table: how much of its invented past the simulated marketplace has sent. At most one row, and
-- none in production.
create table demo_history (
  one boolean primary key default true check (one),
  -- The seller with this past; null until that seller signs in.
  seller_id id,
  began_at timestamptz not null,
  -- The clock of the past; all events before this instant are sent.
  clock_at timestamptz not null,
  -- Null until all of the past is sent.
  ended_at timestamptz
);
grant select, insert, update on demo_history to spp_system;
