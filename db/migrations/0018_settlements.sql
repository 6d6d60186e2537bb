-- What the ledger asks of a seller's account: null where the general rule holds.
create view v_sellers_payout_terms with (security_invoker = true) as
select seller_id, currency, hold_days, min_payout_minor from seller;
grant select on v_sellers_payout_terms to spp_app, spp_system;

-- A reason that has gone is remembered: an older word that it came must not bring it back.
alter table settlement_hold
  add column active boolean not null default true,
  add column ordered_at timestamptz,
  add column ordered_version bigint;
