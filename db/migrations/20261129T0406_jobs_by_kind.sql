-- owner: platform

-- A worker takes the first jobs of each kind. With an index of the instants alone PostgreSQL read and
-- sorted all jobs of its kinds that waited.
create index job_due_by_kind on job (kind, due_at, job_id);
drop index job_due;
