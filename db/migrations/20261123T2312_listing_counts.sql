-- owner: channels
--
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
