-- owner: reconciliation
--
-- What was transferred to the seller's account at the provider and has not arrived yet.
alter table reconciliation add column in_flight_minor bigint not null default 0;
