-- Replays that a delivery was of when another one came upon it, and that it has not been sent for yet.
alter table webhook_delivery add column earlier_replays text[];
