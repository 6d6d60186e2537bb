-- owner: wholesale
--
-- Purchase orders of sellers. The quantities of a line and the state of an order follow from the facts, in
-- any order in which they are told (docs/design/wholesale.md#facts). No amount here reaches the ledger.

-- The last number of a purchase order.
create table purchase_number (
  seller_id id primary key references seller,
  last integer not null
);
select protect_seller_table('purchase_number');

create table purchase_order (
  seller_id id not null references seller,
  purchase_order_id id not null,
  number integer not null,
  supplier_id id not null,
  -- As the supplier was called when the order was last priced.
  supplier_name text not null,
  status text not null check (
    status in ('draft', 'submitted', 'confirmed', 'partially_received', 'received', 'cancelled')
  ),
  origin text not null check (origin in ('manual', 'quote')),
  rfq_id id,
  -- Of an order from a quote: how the freight was quoted. Null: as the supplier publishes it.
  quoted_freight jsonb,
  reference text,
  note text,
  currency text not null,
  goods_minor bigint not null check (goods_minor >= 0),
  -- Null: not stated, which is not zero. What the supplier had stated when the order was last priced.
  stated_freight_minor bigint check (stated_freight_minor >= 0),
  -- The stated freight, or what an answer of the supplier has set.
  freight_minor bigint check (freight_minor >= 0),
  freight_cap_minor bigint check (freight_cap_minor >= 0),
  payment_terms text,
  ship_to jsonb,
  requested_on date,
  submitted_at timestamptz,
  answer_by timestamptz,
  closed_at timestamptz,
  close_reason text check (close_reason in ('not_coming', 'found_elsewhere', 'defective', 'other')),
  -- The latest promised day of which the seller was told that it has passed.
  overdue_told date,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, purchase_order_id),
  unique (seller_id, number),
  check ((origin = 'quote') = (rfq_id is not null)),
  check ((status = 'draft') = (submitted_at is null))
);
select protect_seller_table('purchase_order');
create index purchase_order_open on purchase_order (seller_id)
  where status in ('submitted', 'confirmed', 'partially_received');
create index purchase_order_changed on purchase_order (seller_id, updated_at);

create table purchase_line (
  seller_id id not null,
  purchase_line_id id not null,
  purchase_order_id id not null,
  line_no integer not null check (line_no > 0),
  supplier_item_id id not null,
  supplier_sku text collate "C" not null,
  title text not null,
  product_id id,
  pack_size integer not null check (pack_size > 0),
  -- Of an order from a quote; null: as the item is published.
  quoted_terms jsonb,
  -- The price of a pack as it was ordered; an answer can only lower it.
  ordered_price_minor bigint not null check (ordered_price_minor >= 0),
  pack_price_minor bigint not null check (pack_price_minor between 0 and ordered_price_minor),
  ordered integer not null check (ordered > 0 and ordered % pack_size = 0),
  unconfirmed integer not null check (unconfirmed >= 0),
  confirmed integer not null check (confirmed >= 0),
  received integer not null check (received >= 0),
  cancelled integer not null check (cancelled >= 0),
  shipped integer not null check (shipped >= 0),
  rejected_at_receipt integer not null check (rejected_at_receipt >= 0),
  promised_on date,
  -- The cost of a unit, from the Sydney day of the first receipt that stands.
  cost_from date,
  cost_micros bigint check (cost_micros >= 0),
  cost_missing text[] not null,
  cost_recorded_at timestamptz,
  primary key (seller_id, purchase_line_id),
  unique (seller_id, purchase_order_id, line_no),
  -- Deferred, so that a new order may be written after its lines.
  foreign key (seller_id, purchase_order_id) references purchase_order on delete cascade
    deferrable initially deferred,
  check (ordered = unconfirmed + confirmed + received + cancelled),
  check ((cost_from is null) = (cost_micros is null) and (cost_from is null) = (cost_recorded_at is null))
);
select protect_seller_table('purchase_line');
create index purchase_line_product on purchase_line (seller_id, product_id) where product_id is not null;
