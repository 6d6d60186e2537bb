-- owner: channels
--
-- What is left to do in the store of a channel that has ended. Until it is done, the channel keeps its tokens
-- and its store, so that no other connection of the store can suffer from it.

alter table channel add column leaving text check (leaving in ('uninstall', 'unsubscribe'));
alter table channel add column leaving_until timestamptz;
-- Null while the store is being asked.
alter table channel add column leaving_result text check (leaving_result in ('done', 'failed'));
-- What the store answered last, if it failed.
alter table channel add column leaving_error text;
-- Tokens belong to a connection, or to the end of one.
alter table channel add constraint channel_tokens
  check (access_sealed is null
         or status in ('connected', 'degraded')
         or status = 'ended' and leaving is not null and leaving_result is null);
