-- Attempts of test events are recorded like others, and say nothing about how the endpoint is doing.
alter table webhook_attempt add column test boolean not null default false;
