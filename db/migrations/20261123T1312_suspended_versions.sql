-- owner: products
--
-- The order of the suspension of a replaced version, once a decision about newer content has ended it: an
-- approval from before the suspension must not make the old content visible.
alter table product_past_review add column suspended_at timestamptz;
alter table product_past_review add column suspended_version bigint;
