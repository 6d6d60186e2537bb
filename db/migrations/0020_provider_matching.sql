-- What a provider calls a refund, whoever's it is.
create index ledger_journal_refund on ledger_journal (refund_id) where refund_id is not null;
