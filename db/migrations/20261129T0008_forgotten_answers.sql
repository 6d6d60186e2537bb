-- owner: webhooks

-- An endpoint may answer with what it was sent. So the answers to an event are forgotten together with what
-- the event said of a buyer: only an erasure changes the data of a stored event.
create function forget_answers_to_erased_events() returns trigger language plpgsql as $$
begin
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
