-- owner: products
--
-- Which version of a product a decision of the marketplace is about, and which version buyers see.
-- Source: docs/design/feeds-and-imports.md#curation.

alter table product
  -- The approved version that buyers see. Its content is that of the product while the product is approved,
  -- otherwise it is in approved.
  add column live_version integer,
  add column approved_at timestamptz,
  -- The first version with the present reviewed content, and its time. Null before the first change of the
  -- product: then they are its version and the time of its last change.
  add column reviewed_from integer,
  add column reviewed_at timestamptz;

-- Versions of a product that a change replaced before the marketplace decided about them. Those of one row
-- have the same reviewed content.
create table product_past_review (
  seller_id id not null,
  product_id id not null,
  first_version integer not null,
  last_version integer not null,
  submitted_at timestamptz not null,
  replaced_at timestamptz not null,
  -- The reviewed fields. Null: the marketplace has rejected them or suspended the product.
  content jsonb,
  primary key (seller_id, product_id, last_version)
);
select protect_seller_table('product_past_review');

-- Products that are approved already. Row-level security would show the migration none of them. The version
-- behind a change is older than the change; which one it was is not known.
alter table product no force row level security;
update product
   set live_version = case when curation_state = 'approved' then version else greatest(version - 1, 1) end,
       approved_at = coalesce(curated_at, updated_at)
 where curation_state = 'approved'
    or (approved is not null and curation_state in ('pending', 'rejected'));
alter table product force row level security;
