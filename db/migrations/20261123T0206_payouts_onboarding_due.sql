-- owner: payouts
--
-- Onboarding says who must act for a restricted account: the seller if the provider asks for something,
-- otherwise the marketplace. The release before reads the first two columns.
-- The same rows as `accountStatus` in src/modules/payouts/domain/account-status.ts; a test compares them.
create view v_payouts_onboarding with (security_invoker = true) as
select
  a.seller_id,
  case
    when a.deauthorised_at is not null or h.disabled or a.disabled_reason like 'rejected%' then 'disabled'
    when not a.payable and not a.submitted then 'in_progress'
    when h.held or (r.due and not a.payable) then 'restricted'
    when not a.payable then 'under_review'
    when r.due then 'action_needed'
    else 'enabled'
  end as status,
  r.due
from payout_account a
cross join lateral (
  select count(*) > 0 as held, coalesce(bool_or(o.reason = 'payouts_disabled'), false) as disabled
  from v_settlements_hold o
  where o.seller_id = a.seller_id and o.source <> 'provider') h
cross join lateral (
  select exists (
    select from json_array_elements(a.requirements) e where e->>'due' <> 'eventually_due') as due) r;
grant select on v_payouts_onboarding to spp_app, spp_system;
