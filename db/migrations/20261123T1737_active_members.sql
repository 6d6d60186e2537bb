-- owner: sellers
--
-- The members of a seller's team and their roles, for requests whose token has no session here.
create view v_sellers_active_member with (security_invoker = true) as
select
  seller_id,
  member_id,
  roles
from team_member
where status = 'active';
grant select on v_sellers_active_member to spp_app;
