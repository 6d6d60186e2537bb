-- owner: payouts
--
-- What onboarding asks about the account at the payment provider.
create view v_payouts_onboarding with (security_invoker = true) as
select
  seller_id,
  status
from payout_account;
grant select on v_payouts_onboarding to spp_app, spp_system;
