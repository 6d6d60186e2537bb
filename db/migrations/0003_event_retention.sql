-- Events are kept for thirty days; the job that lets go of older ones finds them by this. They arrive in this
-- order, so that an entry costs next to nothing.
create index outbox_age on outbox (created_at);
