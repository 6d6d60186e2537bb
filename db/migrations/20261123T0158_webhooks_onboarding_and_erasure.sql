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

-- For the dashboard: endpoints that refuse what is sent to them, or that were disabled for it.
create view v_webhooks_failing with (security_invoker = true) as
select
  seller_id,
  failing_since
from webhook_endpoint
where failing_since is not null
  and status in ('active', 'disabled');
grant select on v_webhooks_failing to spp_app, spp_system;

-- An endpoint may answer after an erasure with what it was sent before. The answers to an erased event are
-- never kept. An erasure locks the endpoints first, as all that change deliveries do; so an answer is
-- recorded before it, and forgotten, or after it, and not kept.
alter table webhook_delivery add column forgets_answers boolean not null default false;

-- An endpoint may answer with what it was sent. So the answers to an event are forgotten together with what
-- the event said of a buyer: only an erasure changes the data of a stored event.
create function forget_answers_to_erased_events() returns trigger language plpgsql as $$
begin
  perform from webhook_endpoint where seller_id = new.seller_id order by endpoint_id for no key update;
  update webhook_delivery d
     set forgets_answers = true
    from webhook_endpoint e
   where e.seller_id = new.seller_id
     and d.seller_id = e.seller_id
     and d.endpoint_id = e.endpoint_id
     and d.event_id = new.event_id;
  update webhook_attempt a
     set response_head = null
    from webhook_endpoint e
    join webhook_delivery d
      on d.seller_id = e.seller_id
     and d.endpoint_id = e.endpoint_id
     and d.event_id = new.event_id
   where e.seller_id = new.seller_id
     and a.seller_id = d.seller_id
     and a.delivery_id = d.delivery_id
     and a.response_head <> '';
  return null;
end $$;
create trigger forgets_answers after update of data on outbox
  for each row
  execute function forget_answers_to_erased_events();
