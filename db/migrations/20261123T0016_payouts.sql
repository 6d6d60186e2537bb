-- owner: payouts

create table payout (
  seller_id id not null,
  payout_id id not null,
  settlement_id id not null,
  attempt integer not null check (attempt > 0),
  retry_of id,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  status text not null check (status in ('pending', 'in_transit', 'paid', 'failed', 'canceled', 'returned')),
  provider text not null,
  provider_payout_id text collate "C",
  provider_transfer_id text collate "C",
  method text not null,
  destination json,
  created_at timestamptz not null,
  sent_at timestamptz,
  expected_arrival_on date,
  paid_at timestamptz,
  returned_at timestamptz,
  failure_code text,
  failure_message text,
  payment_reference text,
  bank_reference text,
  bank_reference_status text not null
    check (bank_reference_status in ('pending', 'supported', 'unsupported')),
  version integer not null,
  updated_at timestamptz not null,
  primary key (seller_id, payout_id),
  unique (seller_id, settlement_id, attempt),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('payout');
alter table payout alter column seller_id set statistics 0;
-- A settlement has one transfer at a time.
create unique index payout_live on payout (seller_id, settlement_id)
  where status in ('pending', 'in_transit', 'paid');
create unique index payout_provider on payout (seller_id, provider, provider_payout_id)
  where provider_payout_id is not null;
create index payout_newest on payout (seller_id, created_at, payout_id);
-- The payment provider names a payout or its transfer without the seller.
create index payout_provider_name on payout (provider_payout_id) where provider_payout_id is not null;
create index payout_provider_transfer on payout (provider_transfer_id) where provider_transfer_id is not null;

create table payout_change (
  seller_id id not null,
  payout_id id not null,
  number integer not null,
  status text not null,
  at timestamptz not null,
  actor text not null,
  reason text,
  source_event_id text,
  primary key (seller_id, payout_id, number),
  foreign key (seller_id, payout_id) references payout
);
select protect_seller_table('payout_change');

-- For settlements and reconciliation: payouts.
create view v_payouts_payout with (security_invoker = true) as
select
  seller_id,
  payout_id,
  settlement_id,
  attempt,
  retry_of,
  amount_minor,
  currency,
  status,
  provider,
  provider_payout_id,
  provider_transfer_id,
  method,
  destination,
  created_at,
  sent_at,
  expected_arrival_on,
  paid_at,
  returned_at,
  failure_code,
  failure_message,
  payment_reference,
  bank_reference,
  bank_reference_status,
  version,
  updated_at
from payout;
grant select on v_payouts_payout to spp_app, spp_system;

-- For reconciliation: what happened to payouts.
create view v_payouts_change with (security_invoker = true) as
select
  seller_id,
  payout_id,
  number,
  status,
  at,
  actor,
  reason,
  source_event_id
from payout_change;
grant select on v_payouts_change to spp_app, spp_system;
