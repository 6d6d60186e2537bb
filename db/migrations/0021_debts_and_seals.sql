-- What a seller whose balance stays below zero was told, and on which day: each mark of a debt once.
create table debt_notice (
  seller_id id not null,
  currency text not null,
  days integer not null check (days in (30, 60, 180)),
  told_on date not null,
  primary key (seller_id, currency, days, told_on)
);
select protect_seller_table('debt_notice');

-- What a line was when it was settled, in eight bytes: the one that is not so any more can be named. Null: not sealed.
alter table settlement_line add column seal bytea;

-- The sums by type are closed figures too, and so is the place of the ledger at which they were drawn.
create or replace function refuse_change_of_closed_figures() returns trigger language plpgsql as $$
begin
  if (old.currency, old.period_start, old.period_end, old.opening_balance_minor, old.gross_amount_minor, old.fees_minor,
      old.adjustments_minor, old.net_amount_minor, old.reserve_change_minor, old.payable_amount_minor,
      old.payout_amount_minor, old.closing_balance_minor, old.by_type::text, old.order_count, old.line_count,
      old.lines_sha256, old.calculation_version, old.ledger_position, old.closed_at)
     is distinct from
     (new.currency, new.period_start, new.period_end, new.opening_balance_minor, new.gross_amount_minor, new.fees_minor,
      new.adjustments_minor, new.net_amount_minor, new.reserve_change_minor, new.payable_amount_minor,
      new.payout_amount_minor, new.closing_balance_minor, new.by_type::text, new.order_count, new.line_count,
      new.lines_sha256, new.calculation_version, new.ledger_position, new.closed_at)
  then
    raise exception 'figures of a closed settlement never change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
