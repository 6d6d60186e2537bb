-- owner: platform
--
-- Documents that sellers hand in. The content lies in file_chunk, encrypted under a key of its own.
create table attachment (
  seller_id id not null references seller,
  attachment_id id not null,
  use text not null check (use in ('identity')),
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
  status text not null check (status in ('used', 'deleted')),
  created_at timestamptz not null,
  primary key (seller_id, attachment_id)
);
select protect_seller_table('attachment');
-- The marketplace reads a document by its id alone.
create index attachment_id on attachment (attachment_id);
