-- owner: channels
--
-- A signed body may be sent again without end, under new ids. The receiver and the worker look for what is
-- known of the same body.
create index channel_delivery_body on channel_delivery (seller_id, channel_id, body_sha256)
  where origin = 'webhook';

-- How many listings are in each state, by channel: a job counts, because a state compares a product with its
-- store.
create table channel_listing_count (
  seller_id id not null,
  -- By channel and state.
  counts jsonb not null,
  counted_at timestamptz not null,
  -- How long counting took: it is not done again before a multiple of this.
  took_ms integer not null,
  primary key (seller_id)
);
select protect_seller_table('channel_listing_count');

-- A link counts as long as it has a product, also while its variant is gone. Batches read in the order of an
-- index, each after the one before: otherwise a batch reads again the dead entries of all batches before.
create index channel_link_behind
    on channel_link (seller_id, channel_id, counted_by, link_id)
 where product_id is not null;
create index channel_link_unasked
    on channel_link (seller_id, channel_id, asked_in, link_id)
 where state = 'linked'
   and inventory_item_id is not null;
create unique index channel_delivery_copy
    on channel_delivery (seller_id, channel_id, body_sha256, status,
                         (case when status <> 'unsupported' then topic end), copy)
       nulls not distinct
 where copy is not null;

-- For the dashboard.
create index integration_issue_open on integration_issue (seller_id) where state = 'open';

create view v_channels_open_issue with (security_invoker = true) as
select seller_id
from integration_issue
where state = 'open';
grant select on v_channels_open_issue to spp_app, spp_system;
