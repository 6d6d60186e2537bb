-- owner: orders
--
-- Orders about which something is still to be decided: files about them are kept.

create view v_orders_case with (security_invoker = true) as
select seller_id, order_id
from order_dispute
where status = 'open'
union all
select seller_id, order_id
from order_return
where status not in ('refused', 'closed');
grant select on v_orders_case to spp_app, spp_system;
