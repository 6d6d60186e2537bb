-- owner: payouts
--
-- For reconciliation: what was transferred to sellers' accounts.
create view v_payouts_transfer with (security_invoker = true) as
select
  seller_id,
  settlement_id,
  provider,
  provider_transfer_id,
  amount_minor,
  currency,
  state
from settlement_transfer;
grant select on v_payouts_transfer to spp_app, spp_system;

-- For reconciliation: what a person must look at.
create view v_payouts_exception with (security_invoker = true) as
select
  seller_id,
  provider,
  kind,
  noted_at
from payout_exception;
grant select on v_payouts_exception to spp_app, spp_system;

-- When the provider was first asked to open an account for a seller. If no account is known afterwards, the
-- one that may have been opened is looked up.
create table payout_account_request (
  seller_id id not null,
  provider text not null,
  asked_at timestamptz not null,
  -- The provider repeats the answer to a key for a day, also that it opens no account. So the request after
  -- such an answer has a key of its own.
  attempt integer not null default 1,
  primary key (seller_id, provider)
);
select protect_seller_table('payout_account_request');

-- One account for each seller, also when answers of the provider are lost.
create unique index payout_account_owner_seller on payout_account_owner (provider, seller_id);
