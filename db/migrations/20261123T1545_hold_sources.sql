-- owner: settlements
--
-- Reasons to hold all settlements of a seller that come from another source than the marketplace and the ledger. A
-- reason is active while any source has it, and one source never clears another's. A reason that ends is deleted,
-- because these sources are states that are read as a whole.
create table settlement_source_hold (
  seller_id id not null,
  source text not null check (source in ('provider', 'kyc')),
  reason text not null check (reason in ('payout_account_missing', 'payouts_disabled', 'kyc_required')),
  note text,
  since timestamptz not null,
  primary key (seller_id, source, reason)
);
select protect_seller_table('settlement_source_hold');

-- Every reason that holds money back now. An empty settlement_id stands for all settlements of the seller.
create view v_settlements_reason with (security_invoker = true) as
select
  seller_id,
  settlement_id,
  reason,
  'marketplace' as source,
  note,
  since
from settlement_hold
where active
union all
select
  seller_id,
  '' as settlement_id,
  reason,
  source,
  note,
  since
from settlement_source_hold;
grant select on v_settlements_reason to spp_app, spp_system;
