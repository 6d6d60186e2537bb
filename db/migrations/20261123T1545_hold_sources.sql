-- owner: settlements
--
-- Reasons to hold all settlements of a seller, from other sources than the marketplace and the ledger. A
-- reason is active while any source has it, and one source never clears another's. A reason that ends is
-- deleted, because these sources are states that are read as a whole.
create table settlement_source_hold (
  seller_id id not null,
  source text not null check (source in ('provider', 'kyc')),
  reason text not null check (reason in ('payout_account_missing', 'payouts_disabled', 'kyc_required')),
  note text,
  since timestamptz not null,
  primary key (seller_id, source, reason)
);
select protect_seller_table('settlement_source_hold');
