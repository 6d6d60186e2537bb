-- owner: channels
--
-- Which locations of a store count, and how far the stock of each link is.

alter table channel
  -- Ids of the locations whose stock counts.
  add column selected_locations text[] not null default '{}';

alter table channel_link
  -- Whether a quantity of the store was applied since the variant was linked. If it was and `base_level` is
  -- null, the next known quantity becomes the base and moves no stock.
  add column counted boolean not null default false,
  -- Whether the store was asked for the levels at all locations since the variant was linked.
  add column levels_asked boolean not null default false;
create index channel_link_unasked on channel_link (seller_id, channel_id, link_id)
  where state = 'linked' and not levels_asked;

alter table channel_level
  -- The delivery that brought it; null: the store was asked.
  add column delivery_id id;
