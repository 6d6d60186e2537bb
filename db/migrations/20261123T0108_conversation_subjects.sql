-- owner: orders
--
-- What a conversation about an order may name without being contact data, and until when it may begin.

create view v_orders_conversation with (security_invoker = true) as
select
  o.seller_id,
  o.order_id,
  o.external_order_id,
  o.order_number,
  o.buyer_id,
  o.buyer_alias,
  o.erased_at,
  coalesce(o.closed_at, case when o.status in ('rejected', 'cancelled') then o.updated_at end) as ended_at,
  o.ship_to->>'postcode' as postcode,
  o.currency,
  (
    select json_build_array(o.items_minor, o.shipping_minor, o.total_minor)::jsonb
           || coalesce(jsonb_agg(l.unit_price_minor) || jsonb_agg(l.net_minor), '[]')
    from order_line l
    where l.seller_id = o.seller_id
      and l.order_id = o.order_id) as amounts,
  (
    select coalesce(json_agg(json_build_object(
             'seller_sku', l.seller_sku, 'gtin', l.gtin)), '[]')
    from order_line l
    where l.seller_id = o.seller_id
      and l.order_id = o.order_id) as lines,
  (
    select coalesce(json_agg(json_build_object(
             'carrier', s.carrier, 'tracking_number', s.tracking_number,
             'labelled', s.label_id is not null)), '[]')
    from order_shipment s
    where s.seller_id = o.seller_id
      and s.order_id = o.order_id
      and s.tracking_number is not null) as parcels
from sales_order o;
grant select on v_orders_conversation to spp_app, spp_system;

-- For claims: what the order says about its delivery and its money, and whether its buyer was erased.
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
      and r.order_id = o.order_id) as returns,
  o.customer_ref,
  o.erased_at
from sales_order o;
grant select on v_orders_claim to spp_app, spp_system;
