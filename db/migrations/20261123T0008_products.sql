-- owner: products
--
-- The catalogue: products, stock, feed runs and their rows. Rows of these tables come by the hundred
-- thousand. They have no foreign key to seller: row-level security ties each row to the seller of the scope,
-- and the service never deletes a seller.
--
-- The statistics target of seller_id is 0 in large tables. With statistics, a seller who came after they were
-- gathered counts as one row. To the planner any index that begins with seller_id is then as good as the
-- right one, and it reads a whole catalogue for each product that it looks up. Without them each seller
-- counts as the same small part of the table, and the planner takes the index of the key, however old the
-- statistics are.

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
  curation_state text not null
    check (curation_state in ('not_submitted', 'pending', 'approved', 'rejected', 'suspended')),
  curation_reasons jsonb not null default '[]',
  -- The version that curation approved last, while it reviews a change.
  approved jsonb,
  issues jsonb not null default '[]',
  source_origin text not null,
  source_run_id id,
  source_row integer,
  -- Folded words of title, SKU and brand: the text that `q` searches.
  search_text text collate "C" not null,
  -- Order of the curation decisions: the newest that the service applied.
  curated_at timestamptz,
  curated_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, product_id),
  check (seller_sku is not null or status in ('draft', 'archived'))
);
select protect_seller_table('product');
alter table product alter column seller_id set statistics 0;
create unique index product_sku on product (seller_id, seller_sku);
create unique index product_external_key on product (seller_id, external_profile, external_key)
  where external_key is not null;
create unique index product_mpn_brand on product (seller_id, brand_folded, mpn_folded)
  where identity_strategy = 'mpn_brand' and status <> 'archived';
create index product_gtin on product (seller_id, gtin14) where gtin14 is not null;
create index product_changed on product (seller_id, updated_at, product_id);

-- Stock has a table of its own: it changes most often, and PostgreSQL rewrites a narrow row cheaply.
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
alter table inventory alter column seller_id set statistics 0;

-- Changes that did not come by a feed. The rows of a feed are their own history (feed_row).
create table product_change (
  seller_id id not null,
  product_id id not null,
  version integer not null,
  -- Several changes of stock may have the same version of the product.
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
  status text not null check (status in (
    'received', 'validating', 'applying', 'succeeded', 'succeeded_with_errors', 'rejected', 'failed',
    'timed_out', 'cancelled')),
  counts json not null,
  source json not null,
  file_id id,
  idempotency_key text,
  replay_key id not null,
  contract_version text not null,
  commits_run_id id,
  reverts_run_id id,
  -- Why the run failed, was rejected or timed out.
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
-- The plan limits the runs per day.
create index feed_run_received on feed_run (seller_id, received_at);
create index feed_run_unfinished on feed_run (received_at)
  where status in ('received', 'validating', 'applying');
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
  -- Before and after of each changed field: a commit applies a preview, and a revert undoes a run, from
  -- these.
  changes json,
  messages json,
  -- The cells of a rejected row, for the file that the seller corrects and feeds again.
  cells json,
  -- The version of the product that the changes start from; 0 for a new product.
  product_version integer,
  -- The row that this row was merged into.
  part_of integer,
  primary key (seller_id, run_id, row_number)
);
select protect_seller_table('feed_row');
alter table feed_row alter column seller_id set statistics 0;
create index feed_row_product on feed_row (seller_id, product_id) where product_id is not null;

-- How far a transaction moves the count of a seller's products. The transaction settles the count when it
-- ends, and holds the lock on usage_counter only from then to the commit: a long feed does not keep other
-- requests from creating products. A transaction deletes its rows before it commits.
create table product_count_change (
  seller_id id not null,
  change_id bigint generated always as identity,
  delta integer not null,
  primary key (seller_id, change_id)
);
select protect_seller_table('product_count_change');

create function count_new_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, count(*) from after_rows where status <> 'archived' group by seller_id;
  return null;
end $$;
create trigger product_count_insert
  after insert on product
  referencing new table as after_rows
  for each statement execute function count_new_products();

create function count_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, sum(delta) from (
    select seller_id, count(*) as delta from after_rows where status <> 'archived' group by seller_id
    union all
    select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id
  ) both_sides group by seller_id having sum(delta) <> 0;
  return null;
end $$;
create trigger product_count_update
  after update on product
  referencing old table as before_rows new table as after_rows
  for each statement execute function count_products();

-- Only a revert deletes products: those that its run created and that have not changed since.
create function uncount_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id;
  return null;
end $$;
create trigger product_count_delete
  after delete on product
  referencing old table as before_rows
  for each statement execute function uncount_products();

create function settle_product_count(seller id, out moved integer, out counted integer) language plpgsql as $$
begin
  with due as (delete from product_count_change where seller_id = seller returning delta)
  select coalesce(sum(delta), 0) into moved from due;
  if moved = 0 then
    select used into counted from usage_counter where seller_id = seller and resource = 'products';
    return;
  end if;
  update usage_counter set used = used + moved where seller_id = seller and resource = 'products'
  returning used into counted;
  if not found then
    -- The seller's first products. Two requests may create them at the same time.
    insert into usage_counter as counter (seller_id, resource, used) values (seller, 'products', moved)
    on conflict (seller_id, resource) do update set used = counter.used + excluded.used
    returning used into counted;
  end if;
end $$;

create function settle_product_count_at_commit() returns trigger language plpgsql as $$
begin
  perform settle_product_count(new.seller_id);
  return null;
end $$;
create constraint trigger product_count_settled
  after insert on product_count_change
  deferrable initially deferred
  for each row execute function settle_product_count_at_commit();

-- What decides how shipping sends a product.
create view v_products_shipped with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category
from product
where status <> 'archived'
  and seller_sku is not null;
grant select on v_products_shipped to spp_app, spp_system;

-- The dashboard decides by the service's clock which runs are overdue.
create view v_products_feed_runs with (security_invoker = true) as
select
  seller_id,
  run_id,
  status,
  received_at
from feed_run;
grant select on v_products_feed_runs to spp_app, spp_system;

-- For orders: the stock of a product.
create view v_products_stock with (security_invoker = true) as
select
  seller_id,
  product_id,
  quantity_on_hand,
  quantity_reserved
from inventory;
grant select on v_products_stock to spp_app, spp_system;
