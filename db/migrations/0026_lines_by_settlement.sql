-- What is closed is looked up once for each settlement or document of a statement, and its lines one by one by their
-- key, of a seller who stands fast: for each line the settlement, too, was looked for, and row-level security asked
-- twice whose it is. That took half of the writing of a large close.
create or replace function require_available_lines() returns trigger language plpgsql as $$
declare
  closed record;
  stranger text;
begin
  for closed in
    select f.seller_id, f.settlement_id, s.currency, s.period_end
    from (select distinct seller_id, settlement_id from fresh) f
      left join lateral (select currency, period_end from settlement
        where seller_id = f.seller_id and settlement_id = f.settlement_id offset 0) s on true
  loop
    select f.entry_id into stranger
    from fresh f
    where f.seller_id = closed.seller_id and f.settlement_id = closed.settlement_id
      and (select e.bucket is not null and e.currency = closed.currency and e.available_on <= closed.period_end
           from ledger_entry e where e.seller_id = closed.seller_id and e.entry_id = f.entry_id) is not true
    limit 1;
    if found then
      raise exception 'entry % is no line of this settlement', stranger using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $$;

create or replace function require_fees() returns trigger language plpgsql as $$
declare
  document record;
  stranger text;
begin
  for document in
    select f.seller_id, f.invoice_id, i.currency
    from (select distinct seller_id, invoice_id from fresh) f
      left join lateral (select currency from invoice
        where seller_id = f.seller_id and invoice_id = f.invoice_id offset 0) i on true
  loop
    select f.entry_id into stranger
    from fresh f
    where f.seller_id = document.seller_id and f.invoice_id = document.invoice_id
      and (select e.bucket = 'fees' and e.currency = document.currency
           from ledger_entry e where e.seller_id = document.seller_id and e.entry_id = f.entry_id) is not true
    limit 1;
    if found then
      raise exception 'entry % is no fee of this document', stranger using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $$;
