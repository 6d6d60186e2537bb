-- owner: platform
--
-- A digest says who has sent a file to everybody who has the file too, so it goes with the content. Row-level
-- security would show the migration no rows.
alter table attachment
  alter column sha256 drop not null,
  alter column sha256 set statistics 0;
-- Naming the type, though it stays, forgets the statistics that were gathered before.
alter table attachment alter column sha256 type text;
alter table attachment no force row level security;
update attachment
   set sha256 = null
 where use = 'conversation'
   and status = 'deleted';
alter table attachment force row level security;
alter table attachment
  add constraint attachment_digest_check check (
    case when use = 'conversation' then (status = 'deleted') = (sha256 is null) else sha256 is not null end);
