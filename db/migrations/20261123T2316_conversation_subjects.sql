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
