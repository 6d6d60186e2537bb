-- owner: customer_service
--
-- A ticket about a rating of the seller is about the order of that rating.

create or replace view v_customer_service_order with (security_invoker = true) as
select
  t.seller_id,
  t.ticket_id,
  o.order_id,
  t.kind = 'claim' and t.status not in ('resolved', 'closed') as has_open_claim
from ticket t
join (
    select seller_id, 'order_id' as name, order_id as id, order_id
    from v_orders_buyer
    union all
    select seller_id, name, id, order_id
    from v_orders_part
    union all
    select seller_id, 'thread_id', thread_id, order_id
    from v_messages_thread
    where order_id is not null
    union all
    select seller_id, 'rating_id', rating_id, order_id
    from v_reviews_named
    where order_id is not null) o
  on o.seller_id = t.seller_id
 and o.id = t.links->>o.name;
