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

-- What payment providers kept of paid orders. Of a charge that several orders share, an order bears its part.
create view v_orders_captured with (security_invoker = true) as
select seller_id,
       currency,
       recorded_at,
       captured_minor,
       coalesce(provider_fee_minor,
                round(charge_provider_fee_minor * captured_minor::numeric / charge_total_minor)) as fee_minor
  from sales_order
 where captured_minor > 0;
grant select on v_orders_captured to spp_app, spp_system;

-- For the dashboard: the orders that somebody should look at, which have an index of their own.
create view v_orders_attention with (security_invoker = true) as
select
  seller_id,
  order_id,
  unnest(attention) as kind,
  accept_by,
  dispatch_by,
  respond_by
from sales_order
where attention <> '{}';
grant select on v_orders_attention to spp_app, spp_system;

-- Units of a line that a supplier sends: they wait for its answer, or it has accepted them.
alter table order_line
  add column supplied integer not null default 0,
  add column supplied_accepted integer not null default 0,
  add constraint accepted_units_are_supplied check (supplied_accepted between 0 and supplied);
create index order_line_supplied on order_line (seller_id, product_id) where supplied > 0;

create view v_orders_supplied with (security_invoker = true) as
select seller_id,
       order_id,
       order_line_id,
       line_no,
       product_id,
       supplied,
       supplied_accepted
  from order_line
 where supplied > 0;
grant select on v_orders_supplied to spp_app, spp_system;

-- Whether a supplier has had units of the line: dropship follows what becomes of those that it gave back.
alter table order_line
  add column was_supplied boolean not null default false;
