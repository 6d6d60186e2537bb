-- owner: fees
--
-- A schedule counts for orders in one currency. Those published before were meant for Australian dollars.
alter table fee_schedule
  add column currency text collate "C" not null default 'AUD';
drop index fee_schedule_effective;
create index fee_schedule_effective on fee_schedule (currency, effective_from, published_at);

-- The last seller that has the event about a schedule, and when all had it. Older schedules get no event.
alter table fee_schedule add column announced_through id not null default '';
alter table fee_schedule add column announced_at timestamptz;
-- Row-level security would show the migration no rows.
alter table fee_schedule no force row level security;
update fee_schedule
   set announced_at = published_at;
alter table fee_schedule force row level security;
create index fee_schedule_unannounced on fee_schedule (published_at) where announced_at is null;
