-- owner: platform
--
-- The names of buyers, for lists that show them.

create view v_platform_buyer with (security_invoker = true) as
select
  seller_id,
  buyer_id,
  alias
from buyer;
grant select on v_platform_buyer to spp_app, spp_system;
