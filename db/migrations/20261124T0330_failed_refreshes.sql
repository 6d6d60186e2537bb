-- owner: payouts
--
-- Requests that wait for another one's question to the provider see by it that there was no answer.
alter table payout_account
  add column refresh_failures integer not null default 0;
