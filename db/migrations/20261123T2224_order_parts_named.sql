-- owner: orders
--
-- For tickets: parts of orders by their ids.
create view v_orders_part with (security_invoker = true) as
select seller_id, 'return_id' as name, return_id as id, order_id
from order_return
union all
select seller_id, 'refund_id', refund_id, order_id
from order_refund
union all
select seller_id, 'dispute_id', dispute_id, order_id
from order_dispute
union all
select seller_id, 'shipment_id', shipment_id, order_id
from order_shipment;
grant select on v_orders_part to spp_app, spp_system;

-- For claims: what the order says about its delivery and its money.
create view v_orders_claim with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.external_order_id,
  o.order_number,
  o.buyer_id,
  o.currency,
  o.dispatch_by,
  o.delivered_at,
  (
    select coalesce(json_agg(json_build_object(
      'shipment_id', s.shipment_id,
      'status', s.status,
      'carrier', s.carrier,
      'tracking_number', s.tracking_number,
      'label_bought_here', s.label_id is not null,
      'dispatched_at', s.dispatched_at,
      'delivered_at', s.delivered_at,
      'steps', (
        select coalesce(json_agg(json_build_object('status', t.status, 'at', t.at) order by t.at), '[]')
        from order_tracking t
        where t.seller_id = s.seller_id
          and t.shipment_id = s.shipment_id)) order by s.created_at), '[]')
    from order_shipment s
    where s.seller_id = o.seller_id
      and s.order_id = o.order_id
      and s.status <> 'cancelled') as shipments,
  (
    select coalesce(json_agg(json_build_object(
      'refund_id', f.refund_id,
      'status', f.status,
      'amount_minor', f.amount_minor,
      'created_at', f.created_at) order by f.created_at), '[]')
    from order_refund f
    where f.seller_id = o.seller_id
      and f.order_id = o.order_id) as refunds,
  (
    select coalesce(json_agg(json_build_object(
      'return_id', r.return_id,
      'status', r.status,
      'requested_at', r.requested_at) order by r.requested_at), '[]')
    from order_return r
    where r.seller_id = o.seller_id
      and r.order_id = o.order_id) as returns
from sales_order o;
grant select on v_orders_claim to spp_app, spp_system;
