-- owner: messages
create view v_messages_files with (security_invoker = true) as
select
  m.seller_id,
  m.attachment_ids,
  h.closed_at as ended_at,
  exists (
    select from v_orders_case c where c.seller_id = h.seller_id and c.order_id = h.order_id)
  or exists (
    select from v_customer_service_order c
    where c.seller_id = h.seller_id
      and c.order_id = h.order_id
      and c.has_open_claim) as is_held
from thread_message m
join message_thread h
  on h.seller_id = m.seller_id
 and h.thread_id = m.thread_id
where m.attachment_ids <> '{}';
grant select on v_messages_files to spp_app, spp_system;
