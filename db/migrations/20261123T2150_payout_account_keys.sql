-- owner: payouts
--
-- The provider repeats the answer to a key for a day, also that it opens no account. So the request after
-- such an answer has a key of its own.
alter table payout_account_request
  add column attempt integer not null default 1;
