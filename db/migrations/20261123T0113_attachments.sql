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
create unique index buyer_customer_ref on buyer (seller_id, customer_ref);

-- Erased references, by digests under a key of the installation. Events that tell of an earlier time still
-- come: they must not bring back what was erased.
create table buyer_erasure (
  seller_id id not null,
  ref_digest text collate "C" not null,
  -- The instant of the request; what happened later is about a new pseudonym.
  erased_at timestamptz not null,
  -- The pseudonym that was erased; null if the seller had none.
  buyer_id id,
  -- Orders that keep what their delivery needs; a job erases them when their units have arrived.
  open_order_ids text[] not null default '{}',
  recorded_at timestamptz not null,
  -- The objects that the erasures of a reference have reached. Texts may come to them later without a
  -- reference, so a repeated erasure looks at these objects again.
  object_ids text[] not null default '{}',
  primary key (seller_id, ref_digest)
);
select protect_seller_table('buyer_erasure');
create index buyer_erasure_open on buyer_erasure (recorded_at) where open_order_ids <> '{}';
create index buyer_erasure_age on buyer_erasure (recorded_at);

-- The marketplace's targets for answers to buyers and for tickets. Each clock keeps the version under which
-- it began.

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

-- Files of conversations are deleted some time after their conversation.
create index attachment_used on attachment (used_at)
  where status = 'used'
    and use = 'conversation';

-- Committed events that have no number yet. They are old only while no worker numbers events.
create view v_platform_event_unnumbered with (security_invoker = true) as
select
  seller_id,
  type,
  created_at
from outbox
where sequence is null
union all
select
  seller_id,
  unnest(types),
  created_at
from outbox_bulk;
grant select on v_platform_event_unnumbered to spp_app, spp_system;

-- A worker takes the first jobs of each kind. With an index of the instants alone PostgreSQL read and
-- sorted all jobs of its kinds that waited.
create index job_due_by_kind on job (kind, due_at, job_id);
drop index job_due;
create index buyer_erasure_objects on buyer_erasure using gin (object_ids);
