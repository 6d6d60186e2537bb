-- owner: shipping
--
-- What a seller charges buyers for shipping, and what carriers do for the seller.

-- The service reads and writes zones as a whole with their profile, so they are one document. A field that
-- queries search by has a column.
create table shipping_profile (
  seller_id id not null references seller,
  profile_id id not null,
  name text not null,
  -- At most one: the profile of products that no rule matches.
  is_default boolean not null,
  handling_days integer not null check (handling_days between 0 and 60),
  cut_off text not null,
  timezone text not null,
  working_days text[] not null,
  zones jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, profile_id)
);
select protect_seller_table('shipping_profile');
create unique index shipping_profile_name on shipping_profile (seller_id, lower(name));
create unique index shipping_profile_default on shipping_profile (seller_id) where is_default;

-- Which profile a product has: the first rule that matches it decides, lowest position first.
create table shipping_rule (
  seller_id id not null references seller,
  rule_id id not null,
  name text not null,
  position integer not null,
  enabled boolean not null,
  profile_id id not null,
  -- A product matches when one of these three names it.
  skus text[] not null default '{}',
  sku_prefixes text[] not null default '{}',
  categories text[] not null default '{}',
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, rule_id),
  foreign key (seller_id, profile_id) references shipping_profile (seller_id, profile_id)
);
select protect_seller_table('shipping_rule');
create index shipping_rule_profile on shipping_rule (seller_id, profile_id);

-- A quote keeps its options as the service offered them: a label costs exactly the price of its option.
create table shipping_quote (
  seller_id id not null references seller,
  quote_id id not null,
  request jsonb not null,
  options jsonb not null,
  refused jsonb not null,
  currency text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_option_id text,
  primary key (seller_id, quote_id)
);
select protect_seller_table('shipping_quote');
create index shipping_quote_expiry on shipping_quote (expires_at);

-- The driver signs for a manifest, so it never changes. Parcels that leave later are on the next manifest.
create table shipping_manifest (
  seller_id id not null references seller,
  manifest_id id not null,
  carrier text not null,
  -- The day in Sydney on which the parcels were dispatched.
  dispatched_on date not null,
  number integer not null,
  parcels integer not null check (parcels > 0),
  weight_g bigint not null,
  created_at timestamptz not null,
  primary key (seller_id, manifest_id),
  unique (seller_id, dispatched_on, carrier, number)
);
select protect_seller_table('shipping_manifest');

-- One line for each package, with its own number: the driver counts packages.
create table shipping_manifest_line (
  seller_id id not null,
  manifest_id id not null,
  line_no integer not null,
  shipment_id id not null,
  order_id id not null,
  order_number text not null,
  service text not null,
  tracking_number text not null,
  recipient text not null,
  destination text not null,
  packages integer not null,
  weight_g bigint not null,
  package integer not null default 1 check (package between 1 and packages),
  primary key (seller_id, manifest_id, line_no),
  -- A package is on several manifests only when the seller corrected its carrier after the first one.
  unique (seller_id, shipment_id, package, manifest_id),
  foreign key (seller_id, manifest_id) references shipping_manifest (seller_id, manifest_id)
);
select protect_seller_table('shipping_manifest_line');
