-- owner: sellers
--
-- For sign-in, and for routes that take the session of the marketplace: the member that an identity stands
-- for, and the standing of its seller. An identity whose member was removed has none.
create view v_sellers_member with (security_invoker = true) as
select
  i.subject,
  i.seller_id,
  i.member_id,
  m.roles,
  s.status,
  s.verified,
  s.api_access,
  s.plan
from seller_identity i
join team_member m
  on m.seller_id = i.seller_id
 and m.member_id = i.member_id
 and m.status = 'active'
join seller s
  on s.seller_id = i.seller_id;
grant select on v_sellers_member to spp_system;
