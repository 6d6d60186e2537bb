-- owner: products
-- A revert asks of many runs whether a later one has reverted them.
create index feed_run_reverts on feed_run (seller_id, reverts_run_id) where reverts_run_id is not null;
