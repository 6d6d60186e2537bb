-- What the next event about the same object shows: an event whose object is read late must not be ahead of it.
-- Events of bulk writes have no entry until somebody reads them.
create index outbox_object on outbox (seller_id, object_id, sequence) where data is not null;
