-- owner: messages
--
-- When the buyer of a thread was erased. Texts of a time before it are stored redacted.
alter table message_thread add column erased_at timestamptz;
