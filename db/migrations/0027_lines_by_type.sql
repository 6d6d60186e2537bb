-- The lines of some types, the latest first: a seller who asks for refunds among a million lines had all of them read.
create index ledger_entry_type on ledger_entry (seller_id, type, posted_on, position) where bucket is not null;
