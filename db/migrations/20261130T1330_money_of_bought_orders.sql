-- owner: orders
-- For customer analytics: what an order brought is counted line by line, as the ledger books it. A refund of
-- units that were cancelled afterwards takes nothing from other lines, and lost units bring nothing. The
-- shipping of an order of which no unit is left is given back with them.
create or replace view v_orders_bought with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.customer_ref,
  o.currency,
  o.placed_at,
  case when l.kept > 0 then l.net_minor else 0 end as net_minor
from sales_order o
cross join lateral (
  select
    sum(n.units) as units,
    sum(n.kept) as kept,
    sum(greatest(0, n.net_minor - coalesce(r.amount_minor, 0))) as net_minor
  from (
    select
      order_line_id,
      ordered - rejected - cancelled as units,
      ordered - rejected - cancelled - lost as kept,
      case kind
        when 'item' then
          (2 * net_minor * (ordered - rejected - cancelled - lost) + ordered) / greatest(2 * ordered, 1)
        else net_minor
      end as net_minor
    from order_line
    where seller_id = o.seller_id
      and order_id = o.order_id
  ) n
  left join (
    select p.order_line_id, sum(p.amount_minor) as amount_minor
    from order_refund f
    join order_refund_line p
      on p.seller_id = f.seller_id
     and p.order_id = f.order_id
     and p.refund_id = f.refund_id
    where f.seller_id = o.seller_id
      and f.order_id = o.order_id
      and f.made_at is not null
      and f.status <> 'failed'
    group by p.order_line_id
  ) r on r.order_line_id = n.order_line_id
) l
where l.units > 0;
