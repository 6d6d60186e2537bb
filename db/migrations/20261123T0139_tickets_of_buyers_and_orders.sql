-- owner: customer_service
create index ticket_entry_files on ticket_entry using gin (attachment_ids)
  where attachment_ids <> '{}';

-- A ticket has old texts if an entry has one. A text that came after the others were deleted is found like
-- the first.
create index ticket_entry_kept on ticket_entry (recorded_at)
  where text is not null;

-- Whose the tickets are, for the platform: a pseudonym is deleted once nothing has it.
create view v_customer_service_buyer with (security_invoker = true) as
select
  seller_id,
  ticket_id,
  buyer_id
from ticket
where buyer_id is not null;
grant select on v_customer_service_buyer to spp_app, spp_system;

-- The orders that tickets are about: by the order itself, by a part of it, by a thread, or by a rating of the
-- seller. The marketplace names returns and refunds within their order, so a part may belong to several.
create view v_customer_service_order with (security_invoker = true) as
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
grant select on v_customer_service_order to spp_app, spp_system;

-- Files with the end of their ticket, and whether something about its order is still open.
create view v_customer_service_files with (security_invoker = true) as
select
  e.seller_id,
  e.attachment_ids,
  case when t.status in ('resolved', 'closed') then t.closes_at end as ended_at,
  exists (
    select
    from v_customer_service_order o
    where o.seller_id = t.seller_id
      and o.ticket_id = t.ticket_id
      and (exists (
             select from v_orders_case c where c.seller_id = o.seller_id and c.order_id = o.order_id)
           or exists (
             select from v_customer_service_order c
             where c.seller_id = o.seller_id
               and c.order_id = o.order_id
               and c.has_open_claim))) as is_held
from ticket_entry e
join ticket t
  on t.seller_id = e.seller_id
 and t.ticket_id = e.ticket_id
where e.attachment_ids <> '{}';
grant select on v_customer_service_files to spp_app, spp_system;
