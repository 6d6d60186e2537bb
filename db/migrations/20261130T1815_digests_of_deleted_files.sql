-- owner: platform
--
-- A digest says who has sent a file to everybody who has the file too, so it goes with the content. So do
-- pages and measures: only kind and size stay. Row-level security would show the migration no rows.
alter table attachment
  alter column sha256 drop not null,
  alter column sha256 set statistics 0;
-- Naming the type, though it stays, forgets the statistics that were gathered before.
alter table attachment alter column sha256 type text;
alter table attachment no force row level security;
update attachment
   set sha256 = null, pages = null, width = null, height = null
 where use = 'conversation'
   and status = 'deleted';
alter table attachment force row level security;
alter table attachment
  add constraint attachment_digest_check check (
    use <> 'conversation' or (status = 'deleted') = (sha256 is null)),
  add constraint attachment_measures_check check (
    use <> 'conversation' or status <> 'deleted' or num_nonnulls(pages, width, height) = 0);
