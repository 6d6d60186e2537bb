-- owner: payouts
--
-- Accounts of sellers at a payment provider, what the provider was asked to transfer, and what it called back
-- about.

create table payout_account (
  seller_id id not null,
  payout_account_id id not null,
  provider text not null,
  provider_account_id text collate "C" not null,
  status text not null check (status in (
    'not_started', 'in_progress', 'under_review', 'restricted', 'action_needed', 'enabled', 'disabled')),
  payable boolean not null,
  submitted boolean not null,
  disabled_reason text,
  requirements json not null,
  deadline timestamptz,
  destination json,
  submitted_at timestamptz,
  -- The instant before the provider was asked for this state; an older answer changes nothing.
  fetched_at timestamptz not null,
  deauthorised_at timestamptz,
  version integer not null,
  -- Until when somebody asks the provider about the account; others wait for the answer.
  refreshing_until timestamptz,
  -- Requests that wait for another one's question to the provider see by it that there was no answer.
  refresh_failures integer not null default 0,
  primary key (seller_id)
);
select protect_seller_table('payout_account');

-- not a seller table: the provider names an account without the seller; a seller sees its own account only.
create table payout_account_owner (
  provider text not null,
  provider_account_id text collate "C" not null,
  seller_id id not null,
  primary key (provider, provider_account_id)
);
grant select, insert on payout_account_owner to spp_system;

-- One settlement has one transfer for ever. The row is written before the provider is first asked.
create table settlement_transfer (
  seller_id id not null,
  settlement_id id not null,
  provider text not null,
  provider_transfer_id text collate "C",
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  state text not null check (state in ('asked', 'refused', 'made', 'reversed')),
  first_asked_at timestamptz not null,
  made_at timestamptz,
  -- The provider repeats the answer to a key for a day, a refusal too. So the first attempt after a refusal
  -- asks with a key of its own.
  asked_attempt integer not null default 1,
  primary key (seller_id, settlement_id),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('settlement_transfer');
create index settlement_transfer_name on settlement_transfer (provider_transfer_id)
  where provider_transfer_id is not null;

-- What a person must look at: money that moved at the provider without the service.
create table payout_exception (
  seller_id id not null,
  provider text not null,
  kind text not null check (kind in ('unknown_payout', 'transfer_reversed')),
  provider_object_id text collate "C" not null,
  settlement_id id,
  noted_at timestamptz not null,
  primary key (seller_id, kind, provider_object_id)
);
select protect_seller_table('payout_exception');

-- not a seller table: the provider's event ids are global, and an event may belong to no seller.
create table provider_callback (
  provider text not null,
  event_id text collate "C" not null,
  callback_id id not null,
  type text not null,
  account text,
  livemode boolean not null,
  object_id text,
  -- Callbacks of one object are worked one after another.
  object_key text collate "C" not null,
  digest bytea not null,
  created_at timestamptz not null,
  received_at timestamptz not null,
  seller_id id,
  -- Null while it waits.
  decision text,
  processed_at timestamptz,
  primary key (provider, event_id)
);
grant select, insert, update, delete on provider_callback to spp_system;
create index provider_callback_waiting on provider_callback (object_key) where decision is null;
create index provider_callback_received on provider_callback (received_at);
