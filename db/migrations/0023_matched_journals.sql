-- One refund of the provider's may be of several journals, one for each time that something was cancelled.
alter table provider_match
  drop constraint provider_match_pkey,
  add constraint provider_match_pkey primary key (seller_id, provider, provider_transaction_id, journal_id);
