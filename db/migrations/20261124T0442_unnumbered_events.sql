-- owner: platform
--
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
