-- owner: dropship
--
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
  foreign key (seller_id, dropship_order_id) references dropship_order,
  constraint every_unit_is_somewhere check (
    routed = queued + sent + accepted_open + shipped + returned + cancelled
  )
);
select protect_seller_table('dropship_order_line');
create index dropship_order_line_accepted on dropship_order_line (seller_id, product_id, last_accepted_at)
  where last_accepted_at is not null;

create table dropship_fact (
  seller_id id not null,
  dropship_order_id id not null,
  -- Counts the facts of the dropship order as they were recorded.
  position integer not null,
  -- Names what happened: telling it again changes nothing.
  fact_id text collate "C" not null,
  fact jsonb not null,
  actor_kind text not null,
  actor_id id,
  recorded_at timestamptz not null,
  primary key (seller_id, dropship_order_id, position),
  unique (seller_id, dropship_order_id, fact_id),
  foreign key (seller_id, dropship_order_id) references dropship_order
);
select protect_seller_table('dropship_fact');

-- What the units that a supplier sends cost the seller.
create view v_dropship_line_cost with (security_invoker = true) as
select seller_id,
       order_line_id,
       cost_units as units,
       cost_minor,
       cost_missing as missing
  from dropship_order_line
 where cost_units > 0;
grant select on v_dropship_line_cost to spp_app, spp_system;
