-- A replay of what has failed begins with that, however long the history is.
create index webhook_delivery_given_up on webhook_delivery (seller_id, endpoint_id, sequence)
  where status in ('failed', 'cancelled');
