-- owner: channels
--
-- The rules by which a channel counts the stock of its store, the newest last. A change of the rule writes no
-- link: each link keeps by which rule it was counted, and catches up.

alter table channel
  add column counting jsonb not null
    default '[{"no": 0, "open": [], "closed": [], "mode": "pool", "moves": false}]';

-- Row-level security would show the migration no rows.
alter table channel no force row level security;
alter table channel_location no force row level security;
update channel c
   set counting = jsonb_build_array(jsonb_build_object(
         'no', 0,
         'open', to_jsonb(array(select s.id
                                  from unnest(c.selected_locations) s (id)
                                  join channel_location l
                                    on l.seller_id = c.seller_id
                                   and l.channel_id = c.channel_id
                                   and l.location_id = s.id
                                   and l.active
                                 order by s.id collate "C")),
         'closed', '[]'::jsonb,
         'mode', c.stock_mode,
         'moves', false));
alter table channel_location force row level security;
alter table channel force row level security;

alter table channel_link
  add column counted_by integer not null default 0;
create index channel_link_behind on channel_link (seller_id, channel_id, counted_by)
  where state = 'linked';
