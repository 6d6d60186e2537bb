-- owner: channels
--
-- A signed body may be sent again without end, under new ids. The receiver and the worker look for what is
-- known of the same body.
create index channel_delivery_body on channel_delivery (seller_id, channel_id, body_sha256)
  where origin = 'webhook';
