-- As 0009 and 0023, for money: the first page of a ledger of 90,000 entries took 20 s while the statistics did not know
-- its seller, for the journal of each line was looked for among all of the seller's.
alter table ledger_journal alter column seller_id set statistics 0;
alter table ledger_entry alter column seller_id set statistics 0;
alter table ledger_day alter column seller_id set statistics 0;
alter table ledger_month alter column seller_id set statistics 0;
alter table settlement alter column seller_id set statistics 0;
alter table settlement_line alter column seller_id set statistics 0;
alter table invoice alter column seller_id set statistics 0;
alter table invoice_line alter column seller_id set statistics 0;
alter table payout alter column seller_id set statistics 0;
alter table order_terms alter column seller_id set statistics 0;

-- What was gathered before stays otherwise. Servers before PostgreSQL 18 cannot forget it; there it grows old.
do $$
declare
  known text;
begin
  if to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') is null then
    return;
  end if;
  foreach known in array array['ledger_journal', 'ledger_entry', 'ledger_day', 'ledger_month', 'settlement',
    'settlement_line', 'invoice', 'invoice_line', 'payout', 'order_terms']
  loop
    execute format('select pg_catalog.pg_clear_attribute_stats(%L, %L, %L, false)', current_schema(), known, 'seller_id');
  end loop;
end
$$;
