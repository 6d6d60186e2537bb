-- owner: platform
--
-- Documents that sellers hand in. The content lies in file_chunk, encrypted under a key of its own.
create table attachment (
  seller_id id not null references seller,
  attachment_id id not null,
  use text not null check (use in ('identity', 'conversation')),
  content_type text not null,
  bytes integer not null,
  -- Of what is stored, before it is encrypted.
  sha256 text not null,
  pages integer,
  width integer,
  height integer,
  scan text not null check (scan in ('clean', 'not_scanned')),
  -- Null once the content is deleted; then nothing opens a copy of it either.
  key_sealed text,
  status text not null check (status in ('unused', 'used', 'deleted')),
  created_at timestamptz not null,
  origin text not null default 'seller' check (origin in ('seller', 'buyer', 'marketplace')),
  -- Null for a document of identity.
  filename text,
  -- Why nothing of a file of the marketplace was kept: a code.
  refused text,
  -- What the marketplace calls it.
  external_id text,
  used_at timestamptz,
  primary key (seller_id, attachment_id)
);
select protect_seller_table('attachment');
-- The marketplace reads a document by its id alone.
create index attachment_id on attachment (attachment_id);
create unique index attachment_external_id on attachment (seller_id, external_id)
  where external_id is not null;
create index attachment_unused on attachment (created_at) where status = 'unused';
-- Files of conversations are deleted some time after their conversation.
create index attachment_used on attachment (used_at)
  where status = 'used'
    and use = 'conversation';

-- The public address of an image names neither a seller nor a product, so the file is found by its id alone.
create index file_image on file (file_id) where purpose = 'image';

-- The marketplace's targets for answers to buyers and for tickets. Each clock keeps the version under which
-- it began.
--
-- not a seller table: the marketplace publishes its targets to every seller.
create table service_policy (
  version text collate "C" primary key,
  effective_from date not null,
  -- Calendars and targets as they were published.
  policy json not null,
  published_at timestamptz not null
);
select publish_table('service_policy');
create index service_policy_effective on service_policy (effective_from, published_at);
