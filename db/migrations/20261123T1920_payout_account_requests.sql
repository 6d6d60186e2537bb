-- owner: payouts
--
-- One account for each seller, also when answers of the provider are lost; a transfer that was refused; the
-- state of an account as the holds of the others leave it.

-- When the provider was first asked to open an account for a seller. If no account is known afterwards, the
-- one that may have been opened is looked up.
create table payout_account_request (
  seller_id id not null,
  provider text not null,
  asked_at timestamptz not null,
  primary key (seller_id, provider)
);
select protect_seller_table('payout_account_request');

create unique index payout_account_owner_seller on payout_account_owner (provider, seller_id);

-- The provider repeats the answer to a key for a day, a refusal too. So the first attempt after a refusal
-- asks with a key of its own.
alter table settlement_transfer
  add column asked_attempt integer not null default 1,
  drop constraint settlement_transfer_state_check,
  add constraint settlement_transfer_state_check
    check (state in ('asked', 'refused', 'made', 'reversed'));

-- The same rows as `accountStatus` in src/modules/payouts/domain/account-status.ts; a test compares them. The
-- column `status` of the table is what was last announced.
drop view v_payouts_onboarding;
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
  end as status
from payout_account a
cross join lateral (
  select count(*) > 0 as held, coalesce(bool_or(o.reason = 'payouts_disabled'), false) as disabled
  from v_settlements_hold o
  where o.seller_id = a.seller_id and o.source <> 'provider') h
cross join lateral (
  select exists (
    select from json_array_elements(a.requirements) e where e->>'due' <> 'eventually_due') as due) r;
grant select on v_payouts_onboarding to spp_app, spp_system;
