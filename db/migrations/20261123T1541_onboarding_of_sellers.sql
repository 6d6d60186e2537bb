-- owner: sellers
--
-- What onboarding asks about a seller. An answer of the register counts for the present number and name only.
create view v_sellers_onboarding with (security_invoker = true) as
select
  s.seller_id,
  s.status = 'active' as active,
  s.verified,
  s.api_access,
  s.agreement_due_at,
  s.business ? 'legal_name' as legal_name,
  s.business ? 'entity_type' as entity_type,
  s.business ? 'abn' or s.tax_id_check = 'abn_valid' as abn,
  s.business ? 'registered_address' as address,
  coalesce(s.profile->'dispatch_address' <> 'null', false) as dispatch_address,
  v.verdict,
  v.verified_at
from seller s
left join seller_verification v
  on v.seller_id = s.seller_id
 and v.abn = coalesce(s.business->>'abn', case when s.tax_id_check = 'abn_valid' then s.tax_id end)
 and v.name = coalesce(s.business->>'legal_name', s.business_name);
grant select on v_sellers_onboarding to spp_app, spp_system;
