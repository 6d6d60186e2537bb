-- owner: agreement
--
-- What onboarding asks about the terms: whether there are any, and when the seller accepted some.
create view v_agreement_published with (security_invoker = true) as
select version
from agreement_version;
grant select on v_agreement_published to spp_app, spp_system;

create view v_agreement_onboarding with (security_invoker = true) as
select
  seller_id,
  accepted_at
from agreement_acceptance;
grant select on v_agreement_onboarding to spp_app, spp_system;
