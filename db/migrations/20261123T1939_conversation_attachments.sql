-- owner: platform
--
-- Attachments of conversations beside documents of identity: they have a name and an origin, wait to be used,
-- and may be those of the marketplace, which sends each once.
alter table attachment
  drop constraint attachment_use_check,
  drop constraint attachment_status_check,
  add constraint attachment_use_check check (use in ('identity', 'conversation')),
  add constraint attachment_status_check check (status in ('unused', 'used', 'deleted')),
  add column origin text not null default 'seller' check (origin in ('seller', 'buyer', 'marketplace')),
  -- Null for a document of identity.
  add column filename text,
  -- Why nothing of a file of the marketplace was kept: a code.
  add column refused text,
  -- What the marketplace calls it.
  add column external_id text;
create unique index attachment_external_id on attachment (seller_id, external_id)
  where external_id is not null;
create index attachment_unused on attachment (created_at) where status = 'unused';
