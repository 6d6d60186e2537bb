-- owner: loyalty
--
-- The wallet of a past day stays the same, so it counts only terms that the service knew at the end of that
-- day. Of earlier terms the service knows only when they were published.
alter table loyalty_program add column recorded_at timestamptz;
