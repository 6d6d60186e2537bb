-- owner: dropship
--
-- Products whose stock is a supplier's count.
create table dropship_listing (
  seller_id id not null references seller,
  listing_id id not null,
  product_id id not null,
  supplier_item_id id not null,
  supplier_id id not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  paused_reasons text[] not null,
  buffer_units integer not null check (buffer_units between 0 and 1000),
  -- What a unit and an order cost the seller, as the supplier last published them.
  unit_cost_minor bigint not null check (unit_cost_minor >= 0),
  fee_minor bigint not null check (fee_minor >= 0),
  -- When the supplier last rejected units as out of stock: it has none until it counts later.
  empty_at timestamptz,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, listing_id),
  check ((status = 'paused') = (status <> 'ended' and cardinality(paused_reasons) > 0))
);
select protect_seller_table('dropship_listing');
create unique index dropship_listing_product on dropship_listing (seller_id, product_id)
  where status <> 'ended';
create unique index dropship_listing_item on dropship_listing (seller_id, supplier_item_id)
  where status <> 'ended';
create index dropship_listing_supplier on dropship_listing (supplier_id, seller_id)
  where status <> 'ended';

-- Units of an order that a supplier sends. Facts are only added; the rest follows from them and from the
-- order (docs/design/supply.md#dropship-orders). No table here holds an address or a name of a buyer.
create table dropship_order (
  seller_id id not null references seller,
  dropship_order_id id not null,
  order_id id not null,
  order_number text not null,
  supplier_id id not null,
  -- As the supplier was called when it got the first unit.
  supplier_name text not null,
  currency text not null,
  status text not null check (
    status in ('queued', 'sent', 'accepted', 'shipped', 'returned', 'cancelled')
  ),
  attention text[] not null,
  sent_at timestamptz,
  respond_by timestamptz,
  -- By when the seller has to act on units that the supplier gave back.
  act_by timestamptz,
  fee_minor bigint not null check (fee_minor >= 0),
  -- Null: not stated, which is not zero.
  freight_minor bigint check (freight_minor >= 0),
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, dropship_order_id),
  unique (seller_id, order_id, supplier_id)
);
select protect_seller_table('dropship_order');
create index dropship_order_attention on dropship_order using gin (attention)
  where attention <> '{}';

create table dropship_order_line (
  seller_id id not null,
  dropship_order_id id not null,
  order_line_id id not null,
  line_no integer not null,
  product_id id not null,
  listing_id id not null,
  supplier_item_id id not null,
  supplier_sku text not null,
  seller_sku text,
  title text,
  unit_cost_minor bigint not null check (unit_cost_minor >= 0),
  routed integer not null,
  queued integer not null check (queued >= 0),
  sent integer not null check (sent >= 0),
  accepted_open integer not null check (accepted_open >= 0),
  shipped integer not null check (shipped >= 0),
  returned integer not null check (returned >= 0),
  cancelled integer not null check (cancelled >= 0),
  shipped_after_cancel integer not null check (shipped_after_cancel >= 0),
  -- Rejected and cancelled units of the order when this was written.
  closed integer not null,
  -- Units that the supplier has accepted and owes or has sent, with the instants of the acceptances.
  acceptances jsonb not null,
  last_accepted_at timestamptz,
  cost_units integer not null check (cost_units >= 0),
  cost_minor bigint not null check (cost_minor >= 0),
  cost_missing text[] not null,
  primary key (seller_id, dropship_order_id, order_line_id),
  -- The units of a line go to one supplier.
  unique (seller_id, order_line_id),
  foreign key (seller_id, dropship_order_id) references dropship_order on delete cascade,
  constraint every_unit_is_somewhere check (
    routed = queued + sent + accepted_open + shipped + returned + cancelled
  )
);
select protect_seller_table('dropship_order_line');
