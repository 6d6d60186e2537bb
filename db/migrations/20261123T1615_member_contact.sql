-- owner: sellers
--
-- For the activity log: how members can be reached, whatever their state.
create view v_sellers_contact with (security_invoker = true) as
select
  seller_id,
  member_id,
  email
from team_member;
grant select on v_sellers_contact to spp_app, spp_system;
