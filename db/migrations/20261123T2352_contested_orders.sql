-- owner: orders
--
-- What came back of an order: refunds and returns.
create view v_orders_back with (security_invoker = true) as
select
  seller_id,
  order_id,
  'refund' as kind,
  refund_id as id,
  status,
  reason,
  amount_minor
from order_refund
union all
select
  seller_id,
  order_id,
  'return',
  return_id,
  status,
  reason,
  null
from order_return;
grant select on v_orders_back to spp_app, spp_system;
