-- owner: payouts

-- Until when somebody asks the provider about the account; others wait for the answer.
alter table payout_account add column refreshing_until timestamptz;
