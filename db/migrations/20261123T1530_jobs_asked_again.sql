-- owner: platform
--
-- A job that was asked for while it ran runs once more. Callbacks of one object share a job; one that arrives
-- after the job has read the others must not be left.
alter table job add column asked_again boolean not null default false;
