-- owner: orders
--
-- For claims: what the order says about its delivery and its money, and whether its buyer was erased.
create or replace view v_orders_claim with (security_invoker = true) as
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
      and r.order_id = o.order_id) as returns,
  o.customer_ref,
  o.erased_at
from sales_order o;
