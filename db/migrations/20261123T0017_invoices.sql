-- owner: invoices

-- The last number of a seller's invoices. A transaction that numbers an invoice locks the row, so that the
-- series has no gap.
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
  -- Supplier and recipient as they were when the service issued the document.
  supplier json not null,
  recipient json not null,
  gst_mode text not null check (gst_mode in ('registered', 'limited', 'none')),
  adjusts_invoice_ids text[] not null default '{}',
  pdf_status text not null check (pdf_status in ('available', 'pending', 'unavailable', 'failed')),
  pdf_file_id id,
  pdf_sha256 text,
  created_at timestamptz not null,
  -- The document's lines, frozen with it: a list of invoices never counts entries again.
  -- [{"type", "component", "description", "quantity", "amount_minor"}]
  lines json not null default '[]',
  primary key (seller_id, invoice_id),
  unique (seller_id, invoice_number),
  foreign key (seller_id, settlement_id) references settlement
);
select protect_seller_table('invoice');
alter table invoice alter column seller_id set statistics 0;
create index invoice_newest on invoice (seller_id, issued_on, invoice_id);
create index invoice_settlement on invoice (seller_id, settlement_id);
create index invoice_unrendered on invoice (created_at) where pdf_status <> 'available';
create trigger never_goes
  before delete or update of seller_id, invoice_id on invoice
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_emptied
  before truncate on invoice
  execute function refuse_change_of_what_is_closed();

-- Which entries a document bills. No foreign keys, for the reason that settlement_line gives.
create table invoice_line (
  seller_id id not null,
  entry_id id not null,
  invoice_id id not null,
  primary key (seller_id, entry_id)
);
select protect_seller_table('invoice_line');
alter table invoice_line alter column seller_id set statistics 0;
create index invoice_line_invoice on invoice_line (seller_id, invoice_id);
create trigger append_only
  before update or delete on invoice_line
  for each row execute function refuse_change_of_what_is_closed();
create trigger never_emptied
  before truncate on invoice_line
  execute function refuse_change_of_what_is_closed();

create function require_fees() returns trigger language plpgsql as $$
declare
  document record;
  stranger text;
begin
  for document in
    select f.seller_id, f.invoice_id, i.currency
    from (select distinct seller_id, invoice_id from fresh) f
    left join lateral (
      select currency
      from invoice
      where seller_id = f.seller_id and invoice_id = f.invoice_id
      offset 0
    ) i on true
  loop
    select f.entry_id
    into stranger
    from fresh f
    where f.seller_id = document.seller_id
      and f.invoice_id = document.invoice_id
      and (
        select e.bucket = 'fees' and e.currency = document.currency
        from ledger_entry e
        where e.seller_id = document.seller_id and e.entry_id = f.entry_id
      ) is not true
    limit 1;
    if found then
      raise exception 'entry % is no fee of this document', stranger
        using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $$;
create trigger of_its_fees
  after insert on invoice_line
  referencing new table as fresh
  for each statement execute function require_fees();

-- For settlements: the documents of a settlement.
create view v_invoices_invoice with (security_invoker = true) as
select
  seller_id,
  invoice_id,
  settlement_id,
  invoice_number,
  kind,
  status,
  issued_on,
  pdf_status
from invoice;
grant select on v_invoices_invoice to spp_app, spp_system;

-- For settlements: which document bills an entry.
create view v_invoices_line with (security_invoker = true) as
select
  seller_id,
  entry_id,
  invoice_id
from invoice_line;
grant select on v_invoices_line to spp_app, spp_system;
