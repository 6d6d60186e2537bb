-- owner: sellers
--
-- For the verification of identity: what the register says about a company, and since when an account is
-- closed.
create view v_sellers_company with (security_invoker = true) as
select
  s.seller_id,
  s.status,
  s.created_at,
  s.business->>'entity_type' as entity_type,
  coalesce(
    v.register->>'status' = 'found'
      and v.register->>'abn_status' = 'active'
      and v.register->>'acn' = s.business->>'acn'
      and v.abn = coalesce(s.business->>'abn', case when s.tax_id_check = 'abn_valid' then s.tax_id end),
    false) as registered
from seller s
left join seller_verification v on v.seller_id = s.seller_id;
grant select on v_sellers_company to spp_app, spp_system;

create view v_sellers_closed with (security_invoker = true) as
select
  seller_id,
  standing_at as closed_at
from seller
where status = 'closed';
grant select on v_sellers_closed to spp_app, spp_system;
