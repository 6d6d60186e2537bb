-- owner: webhooks
--
-- What onboarding asks about endpoints: whether a delivery to an active one has succeeded.
create view v_webhooks_onboarding with (security_invoker = true) as
select
  e.seller_id,
  exists (
    select
    from webhook_delivery d
    where d.seller_id = e.seller_id
      and d.endpoint_id = e.endpoint_id
      and d.status = 'succeeded'
  ) as delivered
from webhook_endpoint e
where e.status = 'active';
grant select on v_webhooks_onboarding to spp_app, spp_system;
