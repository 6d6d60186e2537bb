-- owner: messages
--
-- Threads as tickets name them: also with their buyer, and with the erasure of their buyer.

create view v_messages_thread with (security_invoker = true) as
select
  h.seller_id,
  h.thread_id,
  h.order_id,
  (
    select coalesce(json_agg(json_build_object(
             'thread_id', t.thread_id,
             'opened_at', t.opened_at,
             'respond_by', t.respond_by,
             'ended_at', t.ended_at,
             'outcome', t.outcome) order by t.turn_no), '[]')
    from thread_turn t
    where t.seller_id = h.seller_id
      and t.thread_id = h.thread_id) as turns,
  h.buyer_id,
  h.erased_at
from message_thread h;
grant select on v_messages_thread to spp_app, spp_system;
