-- owner: customer_service
--
-- When the buyer of a ticket was erased. Texts of a time before it are stored redacted.
alter table ticket add column erased_at timestamptz;
-- The newest priority, by the marketplace's clock. Texts and states have no part in it.
alter table ticket add column priority_at timestamptz;
