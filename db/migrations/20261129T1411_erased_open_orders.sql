-- owner: platform
--
-- Erasures of before know the orders that are still to arrive, which they have reached. Row-level security
-- would show the migration none of them.
alter table buyer_erasure no force row level security;
update buyer_erasure
   set object_ids = open_order_ids
 where open_order_ids <> '{}'
   and object_ids = '{}';
alter table buyer_erasure force row level security;
