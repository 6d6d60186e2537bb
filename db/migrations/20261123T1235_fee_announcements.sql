-- owner: fees
--
-- The last seller that has the event about a schedule, and when all had it. Older schedules get no event.
alter table fee_schedule add column announced_through id not null default '';
alter table fee_schedule add column announced_at timestamptz;
update fee_schedule
   set announced_at = published_at;
create index fee_schedule_unannounced on fee_schedule (published_at) where announced_at is null;
