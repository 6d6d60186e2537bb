-- owner: wholesale
--
-- Lines of receipts that stand.
create view v_wholesale_received with (security_invoker = true) as
select r.seller_id,
       r.purchase_order_id,
       o.supplier_id,
       l.line ->> 'purchase_line_id' as purchase_line_id,
       (r.received_at at time zone 'Australia/Sydney')::date as received_on,
       (l.line ->> 'good')::integer as good,
       (select coalesce(sum((one ->> 'quantity')::integer), 0)
          from jsonb_array_elements(l.line -> 'rejected') one) as rejected
  from receipt r
  join purchase_order o
    on o.seller_id = r.seller_id
   and o.purchase_order_id = r.purchase_order_id
 cross join lateral jsonb_array_elements(r.lines) l (line)
 where r.reverses is null
   and r.reversed_by is null;
grant select on v_wholesale_received to spp_app, spp_system;

-- Lines of submitted orders. Units that the supplier cancels because the seller has asked for it are
-- cancelled by the seller.
create view v_wholesale_scored with (security_invoker = true) as
select l.seller_id,
       o.supplier_id,
       (o.submitted_at at time zone 'Australia/Sydney')::date as submitted_on,
       o.status in ('received', 'cancelled') as is_over,
       l.ordered,
       l.received,
       l.unconfirmed + l.confirmed as outstanding,
       l.promised_on,
       (select coalesce(sum(r.good), 0)
          from v_wholesale_received r
         where r.seller_id = l.seller_id
           and r.purchase_order_id = l.purchase_order_id
           and r.purchase_line_id = l.purchase_line_id
           and r.received_on <= l.promised_on) as in_time,
       least(l.cancelled, (
         select coalesce(sum((one ->> 'quantity')::integer), 0)
           from purchase_fact f
          cross join lateral jsonb_array_elements(f.fact -> 'lines') one
          where f.seller_id = l.seller_id
            and f.purchase_order_id = l.purchase_order_id
            and (f.fact ->> 'kind' = 'cancelled_by_seller'
                 or (f.fact ->> 'kind' = 'cancelled_by_supplier' and f.fact ->> 'reason' = 'requested'))
            and (one ->> 'line_no')::integer = l.line_no)) as cancelled_by_seller
  from purchase_line l
  join purchase_order o
    on o.seller_id = l.seller_id
   and o.purchase_order_id = l.purchase_order_id
 where o.status <> 'draft';
grant select on v_wholesale_scored to spp_app, spp_system;

-- Old purchase orders are deleted with their parts.
create index purchase_order_age on purchase_order (updated_at)
  where status in ('draft', 'received', 'cancelled');

-- Items that sellers have ordered.
create view v_wholesale_items with (security_invoker = true) as
select supplier_item_id
  from purchase_line;
grant select on v_wholesale_items to spp_system;
