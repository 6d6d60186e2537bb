-- owner: products
--
-- Every range of versions that a change replaced keeps its content and the order of the last decision about
-- it: a decision about a version is about its content, whenever it arrives.
-- Source: docs/design/feeds-and-imports.md#curation.

-- Row-level security would show the migration no rows. What was decided has no content any more.
alter table product_past_review no force row level security;
delete from product_past_review where content is null;
alter table product_past_review force row level security;

alter table product_past_review alter column content set not null;
alter table product_past_review rename column suspended_at to decided_at;
alter table product_past_review rename column suspended_version to decided_version;
