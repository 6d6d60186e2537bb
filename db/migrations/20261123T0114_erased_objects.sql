-- owner: platform
--
-- The names of buyers, for lists that show them.

-- Buyers who are known by an alias only, for modules that erase what such a buyer turns out to be.
create view v_platform_buyer with (security_invoker = true) as
select
  seller_id,
  buyer_id,
  alias,
  customer_ref like 'alias:%' as is_alias
from buyer;
grant select on v_platform_buyer to spp_app, spp_system;

-- One job deletes the expired rows of all tables. Before, each table had its own job.
delete from job
 where kind like 'platform.forget\_%'
   and kind not in (
       'platform.forget_rows',
       'platform.forget_rate_windows',
       'platform.forget_unused_attachments',
       'platform.forget_expired_attachments');
