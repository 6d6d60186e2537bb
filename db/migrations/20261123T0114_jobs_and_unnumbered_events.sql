-- owner: platform
--
-- The first instant at which a job must run again that was asked for while it runs. It is an instant and not
-- a flag, because a job may be asked for at a later time than its end.
alter table job add column again_at timestamptz;

-- A worker takes the first jobs of each kind. With an index of the instants alone PostgreSQL read and
-- sorted all jobs of its kinds that waited.
create index job_due_by_kind on job (kind, due_at, job_id);
drop index job_due;

-- One job deletes the expired rows of all tables. Before, each table had its own job. Row-level security
-- would show the migration no rows.
alter table job no force row level security;
delete from job where kind like 'platform.forget\_%';
alter table job force row level security;

-- Committed events that have no number yet. They are old only while no worker numbers events.
create view v_platform_event_unnumbered with (security_invoker = true) as
select
  seller_id,
  type,
  created_at
from outbox
where sequence is null
union all
select
  seller_id,
  unnest(types),
  created_at
from outbox_bulk;
grant select on v_platform_event_unnumbered to spp_app, spp_system;
