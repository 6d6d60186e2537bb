-- owner: fees
-- A schedule counts for orders in one currency. Those published before were meant for Australian dollars.
alter table fee_schedule
  add column currency text collate "C" not null default 'AUD';
drop index fee_schedule_effective;
create index fee_schedule_effective on fee_schedule (currency, effective_from, published_at);
