-- owner: orders
--
-- When the seller was warned that an open dispute must be answered soon. Disputes that are open now get the
-- warning when their order changes next.
alter table order_dispute add column warned_at timestamptz;
