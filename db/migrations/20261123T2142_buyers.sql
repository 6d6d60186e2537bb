-- owner: platform
--
-- The buyers of each seller, under pseudonyms: the same person has another id at every seller.

create table buyer (
  seller_id id not null,
  buyer_id id not null,
  -- What the marketplace calls the buyer; `alias:…` when it gave an alias only. Null after the erasure.
  customer_ref text collate "C",
  -- Null once the buyer is erased.
  alias text,
  first_seen_at timestamptz not null,
  erased_at timestamptz,
  primary key (seller_id, buyer_id)
);
select protect_seller_table('buyer');
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
  primary key (seller_id, ref_digest)
);
select protect_seller_table('buyer_erasure');
create index buyer_erasure_open on buyer_erasure (recorded_at) where open_order_ids <> '{}';
create index buyer_erasure_age on buyer_erasure (recorded_at);

alter table attachment add column used_at timestamptz;
