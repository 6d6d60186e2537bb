-- owner: webhooks
--
-- For the dashboard: endpoints that refuse what is sent to them, or that were disabled for it.
create view v_webhooks_failing with (security_invoker = true) as
select
  seller_id,
  failing_since
from webhook_endpoint
where failing_since is not null
  and status in ('active', 'disabled');
grant select on v_webhooks_failing to spp_app, spp_system;
