-- owner: reconciliation
--
-- What the payment provider reports. The service compares it with the ledger and posts nothing from it.

-- not a seller table: a provider's transaction may have no known seller.
create table provider_transaction (
  provider text not null,
  provider_transaction_id text collate "C" not null,
  type text not null,
  amount_minor bigint not null,
  fee_minor bigint not null,
  net_minor bigint not null,
  currency text not null,
  source_id text collate "C",
  seller_id id,
  available_on date,
  created_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (provider, provider_transaction_id)
);
create index provider_transaction_seller on provider_transaction (seller_id, created_at);
create index provider_transaction_source on provider_transaction (source_id);
grant select, insert, update on provider_transaction to spp_system;

-- not a seller table: the instant up to which the service has a provider's figures.
create table provider_progress (
  provider text primary key,
  data_through timestamptz not null,
  recorded_at timestamptz not null
);
select publish_table('provider_progress');

create table provider_match (
  seller_id id not null,
  provider text not null,
  provider_transaction_id text collate "C" not null,
  journal_id id not null,
  -- amount_differs, currency_differs, fee_differs, …; empty: the two match to the cent.
  reason_codes text[] not null default '{}',
  matched_at timestamptz not null,
  -- One refund of the provider may match several journals: one for each cancellation that it pays back.
  primary key (seller_id, provider, provider_transaction_id, journal_id),
  foreign key (seller_id, journal_id) references ledger_journal
);
select protect_seller_table('provider_match');
create index provider_match_journal on provider_match (seller_id, journal_id);
create index provider_match_transaction on provider_match (provider, provider_transaction_id);

-- The last comparison of the ledger with the provider: of a seller's account (subject_id ''), or of one
-- payout.
create table reconciliation (
  seller_id id not null,
  scope text not null check (scope in ('account', 'payout')),
  subject_id id not null,
  currency text collate "C" not null,
  provider text not null,
  expected_minor bigint not null,
  reported_minor bigint not null,
  unmatched_count integer not null check (unmatched_count >= 0),
  reason_codes text[] not null,
  data_through timestamptz not null,
  checked_at timestamptz not null,
  -- Why one side waits for the other side. These codes alone do not make a difference unexplained.
  awaited_codes text[] not null default '{}',
  primary key (seller_id, scope, subject_id, currency, provider)
);
select protect_seller_table('reconciliation');
