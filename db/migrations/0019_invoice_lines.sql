-- Lines as they stand on the document, frozen with it: a list of invoices never counts entries again.
-- [{"type", "component", "description", "quantity", "amount_minor"}]
alter table invoice add column lines json not null default '[]';
create index invoice_settlement on invoice (seller_id, settlement_id);
create index invoice_unrendered on invoice (created_at) where pdf_status <> 'available';
