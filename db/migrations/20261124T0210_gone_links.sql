-- owner: channels

-- A link counts as long as it has a product, also while its variant is gone. Batches read in the order of an
-- index, each after the one before: otherwise a batch reads again the dead entries of all batches before.
drop index channel_link_behind;
create index channel_link_behind
    on channel_link (seller_id, channel_id, counted_by, link_id)
 where product_id is not null;
drop index channel_link_unasked;
create index channel_link_unasked
    on channel_link (seller_id, channel_id, asked_in, link_id)
 where state = 'linked'
   and inventory_item_id is not null;

-- Numbers the copies of a body that wait, or were refused by themselves. Copies that two statements store at
-- the same time do not see each other: they take the same number, and one of them is not stored. Those of
-- before have none.
alter table channel_delivery add column copy integer;
create unique index channel_delivery_copy
    on channel_delivery (seller_id, channel_id, body_sha256, status,
                         (case when status <> 'unsupported' then topic end), copy)
       nulls not distinct
 where copy is not null;
