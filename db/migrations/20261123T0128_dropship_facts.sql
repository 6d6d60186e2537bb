-- owner: dropship
create table dropship_fact (
  seller_id id not null,
  dropship_order_id id not null,
  -- Counts the facts of the dropship order as they were recorded.
  position integer not null,
  -- Names what happened: telling it again changes nothing.
  fact_id text collate "C" not null,
  fact jsonb not null,
  actor_kind text not null,
  actor_id id,
  recorded_at timestamptz not null,
  primary key (seller_id, dropship_order_id, position),
  unique (seller_id, dropship_order_id, fact_id),
  foreign key (seller_id, dropship_order_id) references dropship_order on delete cascade
);
select protect_seller_table('dropship_fact');

-- What the units that a supplier sends cost the seller.
create view v_dropship_line_cost with (security_invoker = true) as
select seller_id,
       order_line_id,
       cost_units as units,
       cost_minor,
       cost_missing as missing
  from dropship_order_line
 where cost_units > 0;
grant select on v_dropship_line_cost to spp_app, spp_system;

-- How suppliers answered dropship orders, for the scorecard (docs/design/sourcing.md#scorecard).
create view v_dropship_orders with (security_invoker = true) as
select seller_id,
       dropship_order_id,
       supplier_id
  from dropship_order
 where sent_at is not null;
grant select on v_dropship_orders to spp_app, spp_system;

create index dropship_order_supplier on dropship_order (seller_id, supplier_id) where sent_at is not null;

-- Units that were answered, and those that were not answered in time. An answer in time that was told late
-- takes its units out of those.
create view v_dropship_answered with (security_invoker = true) as
with said as not materialized (
  select f.seller_id,
         f.dropship_order_id,
         o.supplier_id,
         f.position,
         f.fact ->> 'kind' as kind,
         ((f.fact ->> 'at')::timestamptz at time zone 'Australia/Sydney')::date as answered_on,
         one ->> 'order_line_id' as order_line_id,
         coalesce((one ->> 'accepted')::integer, 0) as accepted,
         coalesce((one ->> 'units')::integer,
                  (one ->> 'accepted')::integer + (one ->> 'rejected')::integer) as units
    from dropship_fact f
    join dropship_order o
      on o.seller_id = f.seller_id
     and o.dropship_order_id = f.dropship_order_id
   cross join lateral jsonb_array_elements(f.fact -> 'lines') one
   where f.fact ->> 'kind' in ('answer', 'no_answer')
)
select s.seller_id,
       s.supplier_id,
       s.answered_on,
       s.accepted,
       case s.kind
         when 'answer' then s.units
         else greatest(0, s.units - (
           select coalesce(sum(later.units), 0)
             from said later
            where later.seller_id = s.seller_id
              and later.dropship_order_id = s.dropship_order_id
              and later.order_line_id = s.order_line_id
              and later.kind = 'answer'
              and later.position > s.position))
       end as units
  from said s;
grant select on v_dropship_answered to spp_app, spp_system;

-- What a supplier has accepted counts against its item: the seller may list the item for another product, and
-- another item for the product.
create index dropship_order_line_item on dropship_order_line (seller_id, supplier_item_id, last_accepted_at)
  where last_accepted_at is not null;
-- An item that was rejected as out of stock stays so when it is listed anew.
create index dropship_listing_empty on dropship_listing (seller_id, supplier_item_id)
  where empty_at is not null;

-- Old dropship orders are deleted with their parts.
create index dropship_order_age on dropship_order (updated_at)
  where status in ('shipped', 'returned', 'cancelled');

-- Items that sellers have listed.
create view v_dropship_items with (security_invoker = true) as
select supplier_item_id
  from dropship_listing;
grant select on v_dropship_items to spp_system;
