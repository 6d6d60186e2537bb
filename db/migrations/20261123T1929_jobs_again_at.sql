-- owner: platform
--
-- The first instant at which a job must run again that was asked for while it runs. It is an instant and not
-- a flag, because a job may be asked for at a later time than its end.
alter table job add column again_at timestamptz;
update job
   set again_at = due_at
 where asked_again
   and lease_until is not null;
alter table job drop column asked_again;
