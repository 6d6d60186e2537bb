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

create table purchase_fact (
  seller_id id not null,
  purchase_order_id id not null,
  -- The kind with the supplier's or our own name of it, so that a repetition is known.
  fact_id text collate "C" not null,
  happened_at timestamptz not null,
  fact jsonb not null,
  actor jsonb not null,
  recorded_at timestamptz not null,
  primary key (seller_id, purchase_order_id, fact_id),
  foreign key (seller_id, purchase_order_id) references purchase_order on delete cascade
);
select protect_seller_table('purchase_fact');

create function refuse_change_of_a_purchase_fact() returns trigger language plpgsql as $$
begin
  raise exception 'purchase facts are append-only';
end $$;
create trigger append_only
  before update on purchase_fact
  for each row execute function refuse_change_of_a_purchase_fact();

create table receipt (
  seller_id id not null,
  receipt_id id not null,
  purchase_order_id id not null,
  reference text collate "C" not null,
  note text,
  received_at timestamptz not null,
  recorded_at timestamptz not null,
  recorded_by id not null,
  lines jsonb not null,
  -- Of a reversal: the receipt that it takes back, and why.
  reverses id,
  reason text,
  reversed_by id,
  primary key (seller_id, receipt_id),
  foreign key (seller_id, purchase_order_id) references purchase_order on delete cascade,
  check ((reverses is null) = (reason is null))
);
select protect_seller_table('receipt');
create index receipt_of_order on receipt (seller_id, purchase_order_id, receipt_id);
-- A docket is booked once; after a reversal it can be booked again.
create unique index receipt_reference on receipt (seller_id, purchase_order_id, reference)
  where reverses is null and reversed_by is null;

-- Units that suppliers still owe.
create view v_wholesale_incoming with (security_invoker = true) as
select l.seller_id,
       l.product_id,
       l.purchase_order_id,
       l.unconfirmed + l.confirmed as quantity,
       l.promised_on
  from purchase_line l
  join purchase_order o
    on o.seller_id = l.seller_id
   and o.purchase_order_id = l.purchase_order_id
 where o.status in ('submitted', 'confirmed', 'partially_received')
   and l.product_id is not null
   and l.unconfirmed + l.confirmed > 0;
grant select on v_wholesale_incoming to spp_app, spp_system;

-- What a unit of a product has cost, from a day on; one row for each line with a receipt that stands.
create view v_wholesale_cost with (security_invoker = true) as
select l.seller_id,
       l.product_id,
       l.purchase_line_id,
       o.currency,
       l.cost_from as effective_from,
       l.cost_micros as amount_micros,
       l.cost_missing as missing,
       l.cost_recorded_at as entered_at
  from purchase_line l
  join purchase_order o
    on o.seller_id = l.seller_id
   and o.purchase_order_id = l.purchase_order_id
 where l.product_id is not null
   and l.cost_from is not null;
grant select on v_wholesale_cost to spp_app, spp_system;
