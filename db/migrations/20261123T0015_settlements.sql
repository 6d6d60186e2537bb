-- owner: settlements
--
-- Closed periods of a seller's money. The service computes the open period when a request reads it.

-- Shared with invoices: closed figures and their lines never change or go away.
create function refuse_change_of_what_is_closed() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: what is closed stays as it is', lower(tg_op), tg_table_name
    using errcode = 'restrict_violation';
end $$;

create table settlement (
  seller_id id not null,
  settlement_id id not null,
  currency text not null,
  period_start date not null,
  period_end date not null,
  status text not null check (status in (
    'ready', 'on_hold', 'carried_forward', 'no_activity', 'processing', 'paid', 'payment_failed')),
  opening_balance_minor bigint not null,
  gross_amount_minor bigint not null,
  fees_minor bigint not null,
  adjustments_minor bigint not null,
  net_amount_minor bigint not null,
  reserve_change_minor bigint not null,
  payable_amount_minor bigint not null,
  payout_amount_minor bigint not null check (payout_amount_minor >= 0),
  closing_balance_minor bigint not null,
  -- Signed sums of the lines by type: the components that the API shows come from these.
  by_type json not null,
  order_count integer not null,
  line_count integer not null,
  lines_sha256 text not null,
  calculation_version integer not null,
  -- The last position of the seller's ledger at the close.
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
  constraint adds_up check (
    net_amount_minor = gross_amount_minor - fees_minor + adjustments_minor
    and payable_amount_minor = opening_balance_minor + net_amount_minor + reserve_change_minor
    and payable_amount_minor = payout_amount_minor + closing_balance_minor)
);
select protect_seller_table('settlement');
alter table settlement alter column seller_id set statistics 0;
create index settlement_newest on settlement (seller_id, period_end, settlement_id);
create index settlement_status on settlement (seller_id, status, period_end);

create function refuse_change_of_closed_figures() returns trigger language plpgsql as $$
begin
  if (
    old.currency, old.period_start, old.period_end, old.opening_balance_minor, old.gross_amount_minor,
    old.fees_minor, old.adjustments_minor, old.net_amount_minor, old.reserve_change_minor,
    old.payable_amount_minor, old.payout_amount_minor, old.closing_balance_minor, old.by_type::text,
    old.order_count, old.line_count, old.lines_sha256, old.calculation_version, old.ledger_position,
    old.closed_at
  ) is distinct from (
    new.currency, new.period_start, new.period_end, new.opening_balance_minor, new.gross_amount_minor,
    new.fees_minor, new.adjustments_minor, new.net_amount_minor, new.reserve_change_minor,
    new.payable_amount_minor, new.payout_amount_minor, new.closing_balance_minor, new.by_type::text,
    new.order_count, new.line_count, new.lines_sha256, new.calculation_version, new.ledger_position,
    new.closed_at
  ) then
    raise exception 'figures of a closed settlement never change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger figures_stand
  before update on settlement
  for each row execute function refuse_change_of_closed_figures();
create trigger never_goes
  before delete or update of seller_id, settlement_id on settlement
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_emptied
  before truncate on settlement
  execute function refuse_change_of_what_is_closed();

-- No foreign keys: entries and settlements never go away. The trigger of_its_period checks both once for each
-- statement, and checks more than a key can.
create table settlement_line (
  seller_id id not null,
  entry_id id not null,
  settlement_id id not null,
  -- Order within the statement, from 1: by posted_on, then by position.
  row_no integer not null,
  -- A digest, of eight bytes, of the line at the close: it names a line that has changed since. Null: no
  -- seal.
  seal bytea,
  primary key (seller_id, entry_id),
  unique (seller_id, settlement_id, row_no)
);
select protect_seller_table('settlement_line');
alter table settlement_line alter column seller_id set statistics 0;
create trigger append_only
  before update or delete on settlement_line
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_emptied
  before truncate on settlement_line
  execute function refuse_change_of_what_is_closed();

-- The trigger looks each settlement up once, then each line by its key with the seller fixed. One look-up of
-- the settlement for each line took half of the time of a large close.
create function require_available_lines() returns trigger language plpgsql as $$
declare
  closed record;
  stranger text;
begin
  for closed in
    select f.seller_id, f.settlement_id, s.currency, s.period_end
    from (select distinct seller_id, settlement_id from fresh) f
    left join lateral (
      select currency, period_end
      from settlement
      where seller_id = f.seller_id and settlement_id = f.settlement_id
      offset 0
    ) s on true
  loop
    select f.entry_id
    into stranger
    from fresh f
    where f.seller_id = closed.seller_id
      and f.settlement_id = closed.settlement_id
      and (
        select e.bucket is not null and e.currency = closed.currency and e.available_on <= closed.period_end
        from ledger_entry e
        where e.seller_id = closed.seller_id and e.entry_id = f.entry_id
      ) is not true
    limit 1;
    if found then
      raise exception 'entry % is no line of this settlement', stranger
        using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $$;
create trigger of_its_period
  after insert on settlement_line
  referencing new table as fresh
  for each statement execute function require_available_lines();

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

-- Why the service does not pay money out: of one settlement, or of all settlements of a seller (settlement_id
-- '').
create table settlement_hold (
  seller_id id not null,
  settlement_id id not null,
  reason text not null check (reason in (
    'payout_account_missing', 'payouts_disabled', 'kyc_required', 'risk_review', 'negative_balance',
    'provider_balance_mismatch')),
  note text,
  since timestamptz not null,
  -- A reason that ended stays as a row, so that an older event cannot start it again.
  active boolean not null default true,
  ordered_at timestamptz,
  ordered_version bigint,
  primary key (seller_id, settlement_id, reason)
);
select protect_seller_table('settlement_hold');

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

-- Which notice of a balance below zero a seller got on which day: one for each mark of a debt.
create table debt_notice (
  seller_id id not null,
  currency text not null,
  days integer not null check (days in (30, 60, 180)),
  told_on date not null,
  primary key (seller_id, currency, days, told_on)
);
select protect_seller_table('debt_notice');

-- For the ledger, payouts, invoices and the account: closed periods.
create view v_settlements_settlement with (security_invoker = true) as
select
  seller_id,
  settlement_id,
  currency,
  period_start,
  period_end,
  status,
  opening_balance_minor,
  gross_amount_minor,
  fees_minor,
  adjustments_minor,
  net_amount_minor,
  reserve_change_minor,
  payable_amount_minor,
  payout_amount_minor,
  closing_balance_minor,
  by_type,
  order_count,
  line_count,
  lines_sha256,
  calculation_version,
  ledger_position,
  carry_reason,
  expected_payout_on,
  paid_on,
  payment_reference,
  created_at,
  closed_at,
  closed_by,
  version
from settlement;
grant select on v_settlements_settlement to spp_app, spp_system;

-- For invoices and the account: the lines of closed periods.
create view v_settlements_line with (security_invoker = true) as
select
  seller_id,
  entry_id,
  settlement_id,
  row_no,
  seal
from settlement_line;
grant select on v_settlements_line to spp_app, spp_system;
