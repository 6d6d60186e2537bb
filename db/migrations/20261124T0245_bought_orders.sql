-- owner: orders
--
-- For customer analytics: orders of which something is left, with what they brought. Units that were
-- rejected, cancelled or not answered in time brought nothing; shipping stays, refunds go off.
create view v_orders_bought with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.customer_ref,
  o.currency,
  o.placed_at,
  greatest(0, l.net_minor - r.refunded_minor) as net_minor
from sales_order o
cross join lateral (
  select
    sum(ordered - rejected - cancelled) as units,
    sum(case kind
      when 'item' then (2 * net_minor * (ordered - rejected - cancelled) + ordered) / greatest(2 * ordered, 1)
      else net_minor
    end) as net_minor
  from order_line
  where seller_id = o.seller_id
    and order_id = o.order_id
) l
cross join lateral (
  select coalesce(sum(amount_minor), 0) as refunded_minor
  from order_refund
  where seller_id = o.seller_id
    and order_id = o.order_id
    and made_at is not null
    and status <> 'failed'
) r
where l.units > 0;
grant select on v_orders_bought to spp_app, spp_system;
