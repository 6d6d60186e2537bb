-- owner: platform
--
-- The objects that the erasures of a reference have reached. Texts may come to them later without a
-- reference, so a repeated erasure looks at these objects again.
alter table buyer_erasure add column object_ids text[] not null default '{}';
update buyer_erasure
   set object_ids = open_order_ids
 where open_order_ids <> '{}';
create index buyer_erasure_objects on buyer_erasure using gin (object_ids);

-- Buyers who are known by an alias only, for modules that erase what such a buyer turns out to be.
create or replace view v_platform_buyer with (security_invoker = true) as
select
  seller_id,
  buyer_id,
  alias,
  customer_ref like 'alias:%' as is_alias
from buyer;
