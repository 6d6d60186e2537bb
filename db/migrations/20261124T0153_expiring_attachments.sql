-- owner: platform
--
-- Files of conversations are deleted some time after their conversation.
create index attachment_used on attachment (used_at)
  where status = 'used'
    and use = 'conversation';
