-- Whoever looks for new events begins with the sellers that have some, not with all there are: the sequencer's
-- rounds are committed one after another, so what is newer than a round is new since.
alter table outbox_head add column round bigint not null default 0;
alter table event_sequence add column round bigint not null default 0;
create index event_sequence_round on event_sequence (round);
-- An endpoint that is resumed may have missed much, and none of it is new.
create index webhook_endpoint_changed on webhook_endpoint (status_changed_at);
