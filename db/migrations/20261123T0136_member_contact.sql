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

-- The members of a seller's team and their roles, for requests whose token has no session here.
create view v_sellers_active_member with (security_invoker = true) as
select
  seller_id,
  member_id,
  roles
from team_member
where status = 'active';
grant select on v_sellers_active_member to spp_app;
