-- owner: products
--
-- A connected store changes products, too: its channel is the actor, and the delivery says what it sent.

alter table product_change
  add column delivery_id id,
  drop constraint product_change_actor_kind_check,
  add constraint product_change_actor_kind_check
    check (actor_kind in ('member', 'marketplace', 'channel', 'system')) not valid;
