-- owner: messages
--
-- Texts of threads are deleted some time after the newest message.

-- The texts until then are deleted.
alter table message_thread add column forgotten_upto timestamptz;
create index message_thread_kept on message_thread (last_message_at)
  where forgotten_upto is null or forgotten_upto < last_message_at;
