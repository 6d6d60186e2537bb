-- owner: orders
--
-- Which kinds of rows an order has beside its lines, so that a read asks only their tables: most orders
-- have no return, refund or dispute. `parts` counts only while `parts_version` is the order's version; a
-- writer that does not know the column leaves the old version there, and the read asks every table again.
alter table sales_order
  add column parts text[] not null default '{}',
  add column parts_version integer;

-- The dispatch deadline is frozen when the order is placed. The rule that it follows stands beside it: whose
-- rule, which shipping profile, and the calendar. Null: the order was placed before the service kept it.
alter table sales_order add column dispatch_rule json;

-- The seller's return policy when the return was requested. Null: there was none.
alter table order_return add column return_policy text;

-- The payment of an order may be given back, in part or whole, or be voided before it was captured.
alter table sales_order
  drop constraint sales_order_payment_status_check,
  add constraint sales_order_payment_status_check
    check (payment_status in ('pending', 'captured', 'partially_refunded', 'refunded', 'voided'));
-- Orders that have ended or were refunded before; a later change works it out to the cent. Row-level security
-- would show the migration none of them.
alter table sales_order no force row level security;
update sales_order
   set payment_status = case when captured_at is null then 'voided'
                             when status in ('rejected', 'cancelled')
                               or refund_status = 'refunded' then 'refunded'
                             else 'partially_refunded' end
 where status in ('rejected', 'cancelled')
    or (captured_at is not null and refund_status in ('refunded', 'partially_refunded'));
alter table sales_order force row level security;

-- Labels and open parcels of all orders, for the lists of shipping.
create index order_label_created on order_label (seller_id, created_at, label_id);
-- Parcels that are not at their end. There are few of them, however many were sent.
create index order_shipment_open on order_shipment (seller_id, shipment_id)
  where tracking_number is not null
    and status in ('draft', 'dispatched', 'in_transit', 'out_for_delivery', 'failed');

-- Parcels, with a carrier or without.
create view v_orders_shipment with (security_invoker = true) as
select
  seller_id,
  shipment_id,
  order_id
from order_shipment
where status <> 'cancelled';
grant select on v_orders_shipment to spp_app, spp_system;

-- What is in a parcel.
create view v_orders_packed with (security_invoker = true) as
select
  p.seller_id,
  p.shipment_id,
  l.seller_sku
from order_shipment_line p
join order_line l
  on l.seller_id = p.seller_id
  and l.order_line_id = p.order_line_id
where p.quantity > 0;
grant select on v_orders_packed to spp_app, spp_system;

create or replace view v_orders_parcel with (security_invoker = true) as
select
  s.seller_id,
  s.shipment_id,
  s.order_id,
  o.order_number,
  s.carrier,
  s.service,
  s.tracking_number,
  s.status,
  s.dispatched_at,
  s.delivered_at,
  o.ship_to,
  s.packages,
  s.label_id,
  l.content->'tracking_numbers' as tracking_numbers,
  l.created_at as labelled_at,
  o.dispatch_by
from order_shipment s
join sales_order o
  on o.seller_id = s.seller_id
  and o.order_id = s.order_id
left join order_label l
  on l.seller_id = s.seller_id
  and l.label_id = s.label_id
  and l.tracking_number = s.tracking_number
where s.carrier is not null;

-- Refunds and returns are listed over all orders, newest first.
create index order_refund_newest on order_refund (seller_id, created_at, refund_id);
create index order_return_newest on order_return (seller_id, requested_at, return_id);

-- Void labels are few, and a list of them must not read all labels.
create index order_label_voided on order_label (seller_id, created_at, label_id) where status = 'voided';

-- When the seller was warned that an open dispute must be answered soon. Disputes that are open now get the
-- warning when their order changes next.
alter table order_dispute add column warned_at timestamptz;
