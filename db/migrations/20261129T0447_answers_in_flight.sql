-- owner: webhooks

-- An endpoint may answer after an erasure with what it was sent before. The answers to an erased event are
-- never kept. An erasure locks the endpoints first, as all that change deliveries do; so an answer is
-- recorded before it, and forgotten, or after it, and not kept.
alter table webhook_delivery add column forgets_answers boolean not null default false;

create or replace function forget_answers_to_erased_events() returns trigger language plpgsql as $$
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
