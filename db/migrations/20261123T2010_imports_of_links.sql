-- owner: channels
--
-- Which run has made a link: its revert ends this link, and no link of another import.

alter table channel_link
  -- Null: a delivery or a member has made the link, or an import before this migration.
  add column import_run_id id;
