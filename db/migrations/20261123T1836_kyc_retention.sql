-- owner: kyc
--
-- What an approval relied on is kept until long after the account was closed, whatever becomes of the case:
-- then delete_at only says that the document does not count any more.
alter table kyc_document add column relied_on boolean not null default false;
drop index kyc_document_expiry;
create index kyc_document_expiry on kyc_document (delete_at) where not deleted and not relied_on;

-- The marketplace's time of the call that began the round. Null: the setting KYC_REQUIRED began it.
alter table kyc_case add column began_at timestamptz;
