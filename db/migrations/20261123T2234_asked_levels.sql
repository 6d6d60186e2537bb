-- owner: channels
--
-- In which connection of its channel a link's levels were asked for, so that a new connection writes no link.

alter table channel
  add column connections integer not null default 1;

alter table channel_link
  add column asked_in integer not null default 0;

-- Row-level security would show the migration no rows.
alter table channel_link no force row level security;
update channel_link
   set asked_in = 1
 where levels_asked;
alter table channel_link force row level security;

alter table channel_link
  drop column levels_asked;
create index channel_link_unasked on channel_link (seller_id, channel_id, asked_in)
  where state = 'linked';
