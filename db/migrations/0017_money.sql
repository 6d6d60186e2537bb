-- Money. One append-only double-entry ledger is the source of every figure; all else here is either a fact that
-- was told, or a closed figure that is never computed again. Source: design "Money" 1.1 to 1.6.

-- What everybody may read and only the service writes.
create function publish_table(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy everybody on %s for select to spp_app using (true)', target);
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select on %s to spp_app', target);
  execute format('grant select, insert, update on %s to spp_system', target);
end $$;

-- not a seller table: rates are the marketplace's, published to everybody.
create table fee_schedule (
  version text collate "C" primary key,
  effective_from date not null,
  platform_fee_default_bps integer not null check (platform_fee_default_bps between 0 and 10000),
  -- [{"category", "bps"}], most specific first decided by the reader.
  category_overrides json not null,
  shipping_fee_bps integer not null check (shipping_fee_bps between 0 and 10000),
  loyalty_program_fund_bps integer not null check (loyalty_program_fund_bps between 0 and 10000),
  seller_order_fee_minor bigint not null check (seller_order_fee_minor >= 0),
  dispute_fee_minor bigint not null check (dispute_fee_minor >= 0),
  published_at timestamptz not null
);
create index fee_schedule_effective on fee_schedule (effective_from, published_at);
select publish_table('fee_schedule');

-- Rates of an order, frozen when it is accepted, or delivered without that.
create table order_terms (
  seller_id id not null,
  order_id id not null,
  fee_schedule_version text not null,
  loyalty_program_fund_bps integer not null,
  seller_order_fee_minor bigint not null,
  -- [{"order_line_id", "platform_fee_bps", "source": "order|category|shipping|default"}]
  line_rates json not null,
  frozen_at timestamptz not null,
  -- Set with the first delivery: everything tied to the order is available from then on at the earliest.
  hold_days integer,
  available_on date,
  primary key (seller_id, order_id)
);
select protect_seller_table('order_terms');

-- A seller's place in its own ledger; whoever posts or closes holds this row, so positions have no gap.
create table ledger_head (
  seller_id id primary key,
  position bigint not null
);
select protect_seller_table('ledger_head');

create table ledger_journal (
  seller_id id not null,
  journal_id id not null,
  kind text not null,
  order_id id,
  refund_id text collate "C",
  dispute_id text collate "C",
  settlement_id id,
  payout_id id,
  -- When it happened, the Sydney day it counts for, when it was recorded here.
  occurred_at timestamptz not null,
  posted_on date not null,
  recorded_at timestamptz not null,
  -- The period that owns the day on which it happened was closed already.
  late boolean not null,
  idempotency_key text collate "C" not null,
  reverses_journal_id id,
  reason_code text,
  actor text not null,
  source_event_id text collate "C",
  primary key (seller_id, journal_id),
  unique (seller_id, idempotency_key),
  unique (seller_id, reverses_journal_id),
  foreign key (seller_id, reverses_journal_id) references ledger_journal
);
select protect_seller_table('ledger_journal');
create index ledger_journal_order on ledger_journal (seller_id, order_id) where order_id is not null;

create table ledger_entry (
  seller_id id not null,
  entry_id id not null,
  journal_id id not null,
  -- Within the seller's ledger, without gaps.
  position bigint not null,
  account text collate "C" not null check (account in ('provider_clearing', 'order_escrow', 'seller_payable',
    'seller_reserve', 'seller_settled', 'seller_in_transit', 'buyer_refunds_payable', 'loyalty_fund',
    'platform_fee_income', 'seller_order_fee_income', 'processing_cost', 'manual_adjustments', 'platform_loss',
    'rounding')),
  -- Debits above zero, credits below.
  amount_minor bigint not null check (amount_minor <> 0),
  currency text not null,
  -- What the seller sees of it; null of the other legs.
  type text,
  component text,
  bucket text check (bucket in ('gross', 'fees', 'adjustments', 'reserve')),
  order_id id,
  order_line_id id,
  quantity integer,
  rate_bps integer,
  -- Refund, dispute, adjustment or reserve, as the marketplace named it.
  related_id text collate "C",
  posted_on date not null,
  available_on date,
  late boolean not null,
  description text,
  primary key (seller_id, entry_id),
  unique (seller_id, position),
  foreign key (seller_id, journal_id) references ledger_journal,
  constraint statement_lines_are_whole check ((bucket is null) = (type is null) and (bucket is null) = (available_on is null)),
  constraint only_payable_entries_are_statement_lines check (bucket is null or account = 'seller_payable')
);
select protect_seller_table('ledger_entry');
create index ledger_entry_journal on ledger_entry (seller_id, journal_id);
create index ledger_entry_statement on ledger_entry (seller_id, posted_on, position) where bucket is not null;
create index ledger_entry_available on ledger_entry (seller_id, currency, available_on) where bucket is not null;
create index ledger_entry_order on ledger_entry (seller_id, order_id, position) where order_id is not null;
create index ledger_entry_related on ledger_entry (seller_id, related_id) where related_id is not null;

create function refuse_change_of_the_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: corrections are new journals' using errcode = 'restrict_violation';
end $$;
create trigger append_only before update or delete on ledger_journal
  for each row execute function refuse_change_of_the_ledger();
create trigger append_only before update or delete on ledger_entry
  for each row execute function refuse_change_of_the_ledger();
create trigger never_emptied before truncate on ledger_journal execute function refuse_change_of_the_ledger();
create trigger never_emptied before truncate on ledger_entry execute function refuse_change_of_the_ledger();

-- On insert of an entry, not on a change of status: an entry that is added to an old journal is weighed too.
create function require_balance() returns trigger language plpgsql as $$
begin
  if exists (select from ledger_entry where seller_id = new.seller_id and journal_id = new.journal_id
             group by currency having sum(amount_minor) <> 0)
  then
    raise exception 'journal % does not balance', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger balanced after insert on ledger_entry
  deferrable initially deferred for each row execute function require_balance();
create function require_legs() returns trigger language plpgsql as $$
begin
  if (select count(*) from ledger_entry where seller_id = new.seller_id and journal_id = new.journal_id) < 2 then
    raise exception 'journal % has fewer than two legs', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger whole after insert on ledger_journal
  deferrable initially deferred for each row execute function require_legs();

-- Closed periods. The open one is computed when it is read.
create table settlement (
  seller_id id not null,
  settlement_id id not null,
  currency text not null,
  period_start date not null,
  period_end date not null,
  status text not null check (status in ('ready', 'on_hold', 'carried_forward', 'no_activity', 'processing', 'paid',
    'payment_failed')),
  opening_balance_minor bigint not null,
  gross_amount_minor bigint not null,
  fees_minor bigint not null,
  adjustments_minor bigint not null,
  net_amount_minor bigint not null,
  reserve_change_minor bigint not null,
  payable_amount_minor bigint not null,
  payout_amount_minor bigint not null check (payout_amount_minor >= 0),
  closing_balance_minor bigint not null,
  -- Signed sums of the lines by type: what the components of the resource are made of.
  by_type json not null,
  order_count integer not null,
  line_count integer not null,
  lines_sha256 text not null,
  calculation_version integer not null,
  -- Of the seller's ledger, when it was closed.
  ledger_position bigint not null,
  carry_reason text check (carry_reason in ('below_minimum', 'negative')),
  expected_payout_on date,
  paid_on date,
  payment_reference text,
  created_at timestamptz not null,
  closed_at timestamptz not null,
  closed_by text not null,
  version integer not null,
  primary key (seller_id, settlement_id),
  unique (seller_id, currency, period_start),
  constraint adds_up check (net_amount_minor = gross_amount_minor - fees_minor + adjustments_minor
    and payable_amount_minor = opening_balance_minor + net_amount_minor + reserve_change_minor
    and payable_amount_minor = payout_amount_minor + closing_balance_minor)
);
select protect_seller_table('settlement');
create index settlement_newest on settlement (seller_id, period_end, settlement_id);
create index settlement_status on settlement (seller_id, status, period_end);

-- Figures of a closed period never move.
create function refuse_change_of_closed_figures() returns trigger language plpgsql as $$
begin
  if (old.currency, old.period_start, old.period_end, old.opening_balance_minor, old.gross_amount_minor, old.fees_minor,
      old.adjustments_minor, old.net_amount_minor, old.reserve_change_minor, old.payable_amount_minor,
      old.payout_amount_minor, old.closing_balance_minor, old.line_count, old.lines_sha256, old.closed_at)
     is distinct from
     (new.currency, new.period_start, new.period_end, new.opening_balance_minor, new.gross_amount_minor, new.fees_minor,
      new.adjustments_minor, new.net_amount_minor, new.reserve_change_minor, new.payable_amount_minor,
      new.payout_amount_minor, new.closing_balance_minor, new.line_count, new.lines_sha256, new.closed_at)
  then
    raise exception 'figures of a closed settlement never change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger figures_stand before update on settlement for each row execute function refuse_change_of_closed_figures();

create table settlement_line (
  seller_id id not null,
  entry_id id not null,
  settlement_id id not null,
  -- Order within the statement, from 1: by posted_on, then by position.
  row_no integer not null,
  primary key (seller_id, entry_id),
  unique (seller_id, settlement_id, row_no),
  foreign key (seller_id, entry_id) references ledger_entry,
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('settlement_line');

create table settlement_change (
  seller_id id not null,
  settlement_id id not null,
  number integer not null,
  status text not null,
  at timestamptz not null,
  actor text not null,
  reason text,
  primary key (seller_id, settlement_id, number),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('settlement_change');

-- Why money is kept back: of one settlement, or of all of a seller's (settlement_id '').
create table settlement_hold (
  seller_id id not null,
  settlement_id id not null,
  reason text not null check (reason in ('payout_account_missing', 'payouts_disabled', 'kyc_required', 'risk_review',
    'negative_balance', 'provider_balance_mismatch')),
  note text,
  since timestamptz not null,
  primary key (seller_id, settlement_id, reason)
);
select protect_seller_table('settlement_hold');

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
  bank_reference_status text not null check (bank_reference_status in ('pending', 'supported', 'unsupported')),
  version integer not null,
  updated_at timestamptz not null,
  primary key (seller_id, payout_id),
  unique (seller_id, settlement_id, attempt),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('payout');
-- One transfer at a time.
create unique index payout_live on payout (seller_id, settlement_id) where status in ('pending', 'in_transit', 'paid');
create unique index payout_provider on payout (seller_id, provider, provider_payout_id) where provider_payout_id is not null;
create index payout_newest on payout (seller_id, created_at, payout_id);

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

create table reserve (
  seller_id id not null,
  reserve_id text collate "C" not null,
  amount_minor bigint not null check (amount_minor > 0),
  released_minor bigint not null check (released_minor between 0 and amount_minor),
  currency text not null,
  reason_code text not null,
  release_on date,
  held_at timestamptz not null,
  primary key (seller_id, reserve_id)
);
select protect_seller_table('reserve');
create index reserve_due on reserve (release_on) where released_minor < amount_minor;

-- The next number of a seller's invoices; held while one is numbered, so that none is left out.
create table invoice_series (
  seller_id id primary key,
  last integer not null
);
select protect_seller_table('invoice_series');

create table invoice (
  seller_id id not null,
  invoice_id id not null,
  invoice_number text collate "C" not null,
  kind text not null check (kind in ('tax_invoice', 'adjustment_note', 'invoice')),
  settlement_id id not null,
  period_start date not null,
  period_end date not null,
  issued_on date not null,
  status text not null check (status in ('issued', 'adjusted')),
  currency text not null,
  total_minor bigint not null,
  -- Of whom and to whom, and in which words, as they stood at the issue.
  supplier json not null,
  recipient json not null,
  gst_mode text not null check (gst_mode in ('registered', 'limited', 'none')),
  adjusts_invoice_ids text[] not null default '{}',
  pdf_status text not null check (pdf_status in ('available', 'pending', 'unavailable', 'failed')),
  pdf_file_id id,
  pdf_sha256 text,
  created_at timestamptz not null,
  primary key (seller_id, invoice_id),
  unique (seller_id, invoice_number),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('invoice');
create index invoice_newest on invoice (seller_id, issued_on, invoice_id);

create table invoice_line (
  seller_id id not null,
  entry_id id not null,
  invoice_id id not null,
  primary key (seller_id, entry_id),
  foreign key (seller_id, entry_id) references ledger_entry,
  foreign key (seller_id, invoice_id) references invoice
);
select protect_seller_table('invoice_line');
create index invoice_line_invoice on invoice_line (seller_id, invoice_id);

-- What the provider reports, for comparison only: nothing is posted from it.
-- not a seller table: a provider's transaction may belong to nobody we know.
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

-- not a seller table: until when a provider's figures are known.
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
  -- amount_differs, currency_differs, fee_differs, …; empty: matched to the cent.
  reason_codes text[] not null default '{}',
  matched_at timestamptz not null,
  primary key (seller_id, provider, provider_transaction_id),
  foreign key (seller_id, journal_id) references ledger_journal
);
select protect_seller_table('provider_match');
create index provider_match_journal on provider_match (seller_id, journal_id);
