-- owner: orders
--
-- What buyers ordered, by the instant of placing. `wanted` leaves out the units that the buyer or the
-- marketplace cancelled: those that the seller rejected, let expire or cancelled were in demand.
create view v_orders_ordered with (security_invoker = true) as
select
  l.seller_id,
  l.order_id,
  l.product_id,
  o.placed_at,
  o.updated_at,
  o.currency,
  l.ordered,
  l.ordered - case when l.cancelled = 0 then 0 else greatest(0, l.cancelled - (
    select coalesce(sum((part->>'quantity')::integer), 0)::integer
      from order_event e
      cross join lateral json_array_elements(e.facts->'lines') part
     where e.seller_id = l.seller_id
       and e.order_id = l.order_id
       and e.action = 'cancelled'
       and e.facts->>'by' = 'seller'
       and part->>'order_line_id' = l.order_line_id)) end as wanted,
  l.net_minor
from sales_order o
join order_line l
  on l.seller_id = o.seller_id
  and l.order_id = o.order_id
where l.kind = 'item'
  and l.product_id is not null;
grant select on v_orders_ordered to spp_app, spp_system;

-- For quality: how an order was served, from its rows and its history. Each part is a look-up of its own, so
-- a reader of a few columns pays for no other.
create view v_orders_served with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.updated_at,
  o.accept_by,
  o.dispatch_by,
  o.accepted_at,
  o.expired_at,
  o.delivered_at,
  (
    select json_build_object(
      'open', coalesce(sum(l.accepted_open), 0),
      'sent', coalesce(sum(l.shipped), 0),
      'rejected', coalesce(sum(l.rejected), 0)
    )
    from order_line l
    where l.seller_id = o.seller_id
      and l.order_id = o.order_id
      and l.kind = 'item'
  ) as units,
  -- Of an order that was accepted elsewhere the dispatch is not known: its parcel has the instant of
  -- delivery.
  (
    select max(s.dispatched_at)
    from order_shipment s
    where s.seller_id = o.seller_id
      and s.order_id = o.order_id
      and s.status not in ('draft', 'cancelled')
      and (s.origin = 'seller' or o.accepted_at is not null)
  ) as dispatched_at,
  -- What the seller, the buyer and the marketplace have given up, oldest first.
  (
    select coalesce(json_agg(json_build_object(
      'action', e.action,
      'by_seller', e.actor_kind = 'member' and e.action <> 'cancel_request_accepted',
      'reason', e.reason,
      'at', e.occurred_at,
      'units', (
        select coalesce(sum(u.quantity), 0)
        from json_to_recordset(e.facts -> 'lines') as u (quantity integer)
      )
    ) order by e.entry), '[]')
    from order_event e
    where e.seller_id = o.seller_id
      and e.order_id = o.order_id
      and e.action in ('rejected', 'cancelled', 'cancel_request_accepted')
  ) as given_up,
  (
    select coalesce(json_agg(json_build_object('id', d.dispute_id, 'at', d.decided_at)
      order by d.decided_at), '[]')
    from order_dispute d
    where d.seller_id = o.seller_id
      and d.order_id = o.order_id
      and d.status = 'lost'
  ) as lost_disputes,
  (
    select coalesce(json_agg(json_build_object('id', r.return_id, 'at', r.requested_at, 'reason', rl.reason)
      order by r.requested_at), '[]')
    from order_return r
    join order_return_line rl
      on rl.seller_id = r.seller_id
     and rl.order_id = r.order_id
     and rl.return_id = r.return_id
    where r.seller_id = o.seller_id
      and r.order_id = o.order_id
  ) as returned
from sales_order o;
grant select on v_orders_served to spp_app, spp_system;
