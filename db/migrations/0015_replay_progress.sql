-- How many events of a replay are in the queue so far: what is not waiting any more has been sent.
alter table webhook_replay add column queued integer not null default 0;
