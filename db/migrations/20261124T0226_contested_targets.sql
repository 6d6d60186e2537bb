-- owner: contests
--
-- For areas that list their targets by what is contested.
create view v_contests_contest with (security_invoker = true) as
select
  seller_id,
  target_kind,
  target_id,
  status
from contest;
grant select on v_contests_contest to spp_app, spp_system;
