-- Rows of these tables arrive by the hundred thousand. They have no foreign key to seller: row-level security
-- already ties each row to the scope's seller, and sellers are never deleted.

create table product (
  seller_id id not null,
  product_id id not null,
  seller_sku text collate "C",
  title text,
  description text,
  brand text,
  category text,
  condition text,
  external_key text collate "C",
  external_profile text,
  identity_strategy text check (identity_strategy in ('product_id', 'global_id', 'mpn_brand', 'exempt')),
  gtin14 text collate "C",
  value_entered text,
  scheme text,
  mpn text,
  mpn_folded text collate "C",
  brand_folded text collate "C",
  exempt_reason text,
  exempt_source text,
  product_ref id,
  price_minor bigint check (price_minor > 0),
  compare_at_minor bigint check (compare_at_minor >= 0),
  currency text not null,
  status text not null check (status in ('draft', 'active', 'inactive', 'archived')),
  images jsonb not null default '[]',
  attributes jsonb not null default '{}',
  variation jsonb,
  curation_state text not null check (curation_state in ('not_submitted', 'pending', 'approved', 'rejected', 'suspended')),
  curation_reasons jsonb not null default '[]',
  -- The version that curation approved last, while a change is under review.
  approved jsonb,
  issues jsonb not null default '[]',
  source_origin text not null,
  source_run_id id,
  source_row integer,
  -- Folded words of title, SKU and brand: what `q` looks into.
  search_text text collate "C" not null,
  -- Order of curation decisions, see marketplace_event.
  curated_at timestamptz,
  curated_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, product_id),
  check (seller_sku is not null or status in ('draft', 'archived'))
);
select protect_seller_table('product');
create unique index product_sku on product (seller_id, seller_sku);
create unique index product_external_key on product (seller_id, external_profile, external_key) where external_key is not null;
create unique index product_mpn_brand on product (seller_id, brand_folded, mpn_folded)
  where identity_strategy = 'mpn_brand' and status <> 'archived';
create index product_gtin on product (seller_id, gtin14) where gtin14 is not null;
create index product_changed on product (seller_id, updated_at, product_id);

-- Apart from product: stock changes most often, and a narrow row is rewritten cheaply.
create table inventory (
  seller_id id not null,
  product_id id not null,
  -- Null: unknown or not tracked.
  quantity_on_hand integer check (quantity_on_hand >= 0),
  quantity_reserved integer not null default 0 check (quantity_reserved >= 0),
  reorder_point integer check (reorder_point >= 0),
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (seller_id, product_id)
) with (fillfactor = 80);
select protect_seller_table('inventory');

-- Who changed what, other than by feeds: their rows are their own history (feed_row).
create table product_change (
  seller_id id not null,
  product_id id not null,
  version integer not null,
  -- A stock change has its own number within the version.
  entry bigint generated always as identity,
  actor_kind text not null check (actor_kind in ('member', 'marketplace', 'system')),
  actor_id text,
  action text not null,
  request_id text,
  changes json not null,
  changed_at timestamptz not null,
  primary key (seller_id, product_id, entry)
);
select protect_seller_table('product_change');

create table feed_run (
  seller_id id not null,
  run_id id not null,
  kind text not null check (kind in ('products', 'inventory', 'profile_import', 'commit', 'revert')),
  mode text not null check (mode in ('upsert', 'update_only', 'create_only', 'inventory')),
  on_error text not null check (on_error in ('continue', 'abort')),
  dry_run boolean not null,
  async boolean not null,
  status text not null check (status in
    ('received', 'validating', 'applying', 'succeeded', 'succeeded_with_errors', 'rejected', 'failed', 'timed_out', 'cancelled')),
  counts json not null,
  source json not null,
  file_id id,
  idempotency_key text,
  replay_key id not null,
  contract_version text not null,
  commits_run_id id,
  reverts_run_id id,
  -- Why a run failed, was rejected or timed out.
  error json,
  detection json,
  rows_done integer not null default 0,
  rows_total integer,
  created_by id,
  request_id text,
  cancel_requested_at timestamptz,
  received_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  evidence_expires_at timestamptz,
  primary key (seller_id, run_id)
);
select protect_seller_table('feed_run');
-- Runs per day are a quota.
create index feed_run_received on feed_run (seller_id, received_at);
create index feed_run_unfinished on feed_run (received_at) where status in ('received', 'validating', 'applying');
create index feed_run_evidence_expiry on feed_run (evidence_expires_at) where evidence_expires_at is not null;

create table feed_row (
  seller_id id not null,
  run_id id not null,
  row_number integer not null,
  line_start integer not null,
  line_end integer not null,
  seller_sku text,
  product_id id,
  outcome text not null,
  raw_sha256 bytea not null,
  resolution json,
  -- Before and after of every changed field; a stored preview is applied, and a run reverted, from these.
  changes json,
  messages json,
  -- Cells of rejected rows, for the file that can be corrected and fed back.
  cells json,
  -- Version of the product that the changes start from; 0 for a new one.
  product_version integer,
  -- Row of which a merged row became a part.
  part_of integer,
  primary key (seller_id, run_id, row_number)
);
select protect_seller_table('feed_row');
create index feed_row_product on feed_row (seller_id, product_id) where product_id is not null;

create function count_products() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in
    select seller_id, sum(delta) as delta from (
      select seller_id, count(*) as delta from after_rows where status <> 'archived' group by seller_id
      union all
      select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id
    ) both_sides group by seller_id having sum(delta) <> 0
  loop
    -- Rows that were counted before have a counter: no insert is needed here, and none could be negative.
    update usage_counter set used = used + change.delta
    where seller_id = change.seller_id and resource = 'products';
  end loop;
  return null;
end $$;

create function count_new_products() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in select seller_id, count(*) as delta from after_rows where status <> 'archived' group by seller_id loop
    insert into usage_counter as counter (seller_id, resource, used)
    values (change.seller_id, 'products', change.delta)
    on conflict (seller_id, resource) do update set used = counter.used + excluded.used;
  end loop;
  return null;
end $$;

create trigger product_count_insert after insert on product
  referencing new table as after_rows for each statement execute function count_new_products();
create trigger product_count_update after update on product
  referencing old table as before_rows new table as after_rows for each statement execute function count_products();

-- Only reverting a run deletes: products that it created and nothing has touched since.
create function uncount_products() returns trigger language plpgsql as $$
begin
  update usage_counter c set used = c.used - d.delta
  from (select seller_id, count(*) as delta from before_rows where status <> 'archived' group by seller_id) d
  where c.seller_id = d.seller_id and c.resource = 'products';
  return null;
end $$;
create trigger product_count_delete after delete on product
  referencing old table as before_rows for each statement execute function uncount_products();
