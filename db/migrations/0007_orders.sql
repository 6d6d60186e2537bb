-- Orders. Quantities are the truth and every status follows from them; what stands in a status column is there
-- for lists. No foreign key to seller, for the reason that 0002_catalogue.sql gives.

create table sales_order (
  seller_id id not null,
  -- The marketplace's own when it begins with "ord_".
  order_id id not null,
  external_order_id text collate "C",
  order_number text collate "C" not null,
  status text not null check (status in
    ('awaiting_acceptance', 'accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'rejected', 'cancelled')),
  payment_status text not null check (payment_status in ('pending', 'captured')),
  refund_status text not null check (refund_status in ('none', 'requested', 'partially_refunded', 'refunded')),
  attention text[] not null default '{}',
  currency text not null,
  loyalty boolean not null,
  items_minor bigint not null check (items_minor >= 0),
  shipping_minor bigint not null check (shipping_minor >= 0),
  seller_discount_minor bigint not null check (seller_discount_minor >= 0),
  total_minor bigint not null check (total_minor = items_minor + shipping_minor - seller_discount_minor),
  buyer_alias text,
  customer_ref text,
  ship_to json not null,
  -- Sums over the lines, for the queues.
  awaiting integer not null check (awaiting >= 0),
  accepted_open integer not null check (accepted_open >= 0),
  placed_at timestamptz not null,
  -- When the order came to be known here: the windows of the seller run from this instant.
  recorded_at timestamptz not null,
  accept_by timestamptz not null,
  acceptance_warned_at timestamptz,
  accepted_at timestamptz,
  -- Set when the acceptance window closed over units that nobody had answered for.
  expired_at timestamptz,
  dispatch_by timestamptz,
  late_at timestamptz,
  respond_by timestamptz,
  delivered_at timestamptz,
  -- End of the return window; the order closes then unless something about it is still open.
  closes_at timestamptz,
  closed_at timestamptz,
  -- The next instant at which a timer has something to do.
  next_due_at timestamptz,
  captured_minor bigint check (captured_minor >= 0),
  captured_at timestamptz,
  -- Facts of the payment as the marketplace gave them; nothing is computed from them here.
  charge_id text,
  provider_fee_minor bigint,
  provider_transaction_id text,
  charge_total_minor bigint,
  charge_provider_fee_minor bigint,
  share_of json,
  placed_facts json not null,
  -- Folded words: what `q` looks into.
  search_text text collate "C" not null,
  version integer not null,
  updated_at timestamptz not null,
  primary key (seller_id, order_id)
);
select protect_seller_table('sales_order');
create unique index sales_order_external on sales_order (seller_id, external_order_id);
create index sales_order_newest on sales_order (seller_id, recorded_at, order_id);
create index sales_order_status on sales_order (seller_id, status, recorded_at, order_id);
create index sales_order_changed on sales_order (seller_id, updated_at, order_id);
create index sales_order_number on sales_order (seller_id, order_number);
create index sales_order_attention on sales_order (seller_id, recorded_at, order_id) where attention <> '{}';
create index sales_order_to_accept on sales_order (seller_id, accept_by) where awaiting > 0;
create index sales_order_to_dispatch on sales_order (seller_id, dispatch_by) where accepted_open > 0;

create table order_line (
  seller_id id not null,
  order_line_id id not null,
  order_id id not null,
  -- From 1, in the order of the marketplace's list.
  line_no integer not null,
  kind text not null check (kind in ('item', 'shipping')),
  -- Null: the SKU is none of the catalogue's.
  product_id id,
  seller_sku text collate "C",
  title text,
  category text,
  status text not null,
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  gross_minor bigint not null check (gross_minor >= 0),
  discount_minor bigint not null check (discount_minor between 0 and gross_minor),
  net_minor bigint not null check (net_minor = gross_minor - discount_minor),
  platform_fee_bps integer,
  -- Units ordered; of a shipping line 0, so that the quantities speak of goods only.
  ordered integer not null check (ordered >= 0),
  awaiting integer not null check (awaiting >= 0),
  accepted_open integer not null check (accepted_open >= 0),
  rejected integer not null check (rejected >= 0),
  cancelled integer not null check (cancelled >= 0),
  in_transit integer not null check (in_transit >= 0),
  delivered integer not null check (delivered >= 0),
  lost integer not null check (lost >= 0),
  returned integer not null check (returned >= 0),
  shipped integer generated always as (in_transit + delivered + lost) stored,
  -- Units of the stock that this line holds.
  reserved integer not null check (reserved >= 0),
  primary key (seller_id, order_line_id),
  unique (seller_id, order_id, line_no),
  foreign key (seller_id, order_id) references sales_order,
  constraint every_unit_is_somewhere check
    (ordered = awaiting + accepted_open + rejected + cancelled + in_transit + delivered + lost),
  constraint only_what_came_comes_back check (returned <= delivered),
  constraint only_open_units_hold_stock check (reserved <= awaiting + accepted_open)
);
select protect_seller_table('order_line');
create index order_line_sku on order_line (seller_id, seller_sku, order_id);
create index order_line_status on order_line (seller_id, status, order_id);
-- Lines that wait for stock.
create index order_line_short on order_line (seller_id, product_id)
  where reserved < awaiting + accepted_open and product_id is not null;

create table order_event (
  seller_id id not null,
  order_id id not null,
  entry bigint generated always as identity,
  version integer not null,
  action text not null,
  actor_kind text not null check (actor_kind in ('member', 'marketplace', 'buyer', 'system')),
  actor_id text,
  reason text,
  detail text,
  request_id text,
  idempotency_key text,
  -- What was said: the body of the request, the data of the event.
  facts json,
  changes json not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (seller_id, order_id, entry)
);
select protect_seller_table('order_event');

create table order_shipment (
  seller_id id not null,
  shipment_id id not null,
  order_id id not null,
  status text not null check (status in ('draft', 'dispatched', 'in_transit', 'out_for_delivery', 'failed',
    'returned_to_sender', 'delivered', 'lost', 'cancelled')),
  -- 'marketplace': dispatch and delivery were recorded elsewhere.
  origin text not null check (origin in ('seller', 'marketplace')),
  packages json not null,
  carrier text,
  service text,
  tracking_number text collate "C",
  tracking_url text,
  label_id id,
  dispatched_at timestamptz,
  delivered_at timestamptz,
  -- Order of the carrier's news: the newest that was applied.
  tracked_at timestamptz,
  -- Digits: what the marketplace counts may be above 2^53.
  tracked_version text collate "C",
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, shipment_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_shipment');
create index order_shipment_order on order_shipment (seller_id, order_id);
create index order_shipment_tracking on order_shipment (seller_id, tracking_number) where tracking_number is not null;
create index order_shipment_dispatched on order_shipment (seller_id, dispatched_at) where dispatched_at is not null;

create table order_shipment_line (
  seller_id id not null,
  shipment_id id not null,
  order_line_id id not null,
  quantity integer not null check (quantity >= 0),
  primary key (seller_id, shipment_id, order_line_id),
  foreign key (seller_id, shipment_id) references order_shipment,
  foreign key (seller_id, order_line_id) references order_line
);
select protect_seller_table('order_shipment_line');

create table order_label (
  seller_id id not null,
  label_id id not null,
  shipment_id id not null,
  status text not null check (status in ('purchased', 'voided')),
  carrier text not null,
  service text not null,
  tracking_number text collate "C" not null,
  price_minor bigint not null check (price_minor >= 0),
  quote_id id,
  option_id text,
  -- All that the label shows, so that it comes out the same again.
  content json not null,
  created_at timestamptz not null,
  voided_at timestamptz,
  primary key (seller_id, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_label');
create index order_label_shipment on order_label (seller_id, shipment_id);

create table order_tracking (
  seller_id id not null,
  shipment_id id not null,
  position integer not null,
  status text not null,
  at timestamptz not null,
  location text,
  detail text,
  recorded_at timestamptz not null,
  primary key (seller_id, shipment_id, position),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_tracking');

-- What the marketplace names is named within its order: its ids are kept where they have the service's form.
create table order_cancel_request (
  seller_id id not null,
  request_id id not null,
  external_request_id text collate "C" not null,
  order_id id not null,
  -- 'void': nothing of what it asks for is open any more.
  status text not null check (status in ('open', 'accepted', 'denied', 'void')),
  lines json not null,
  reason text,
  respond_by timestamptz not null,
  requested_at timestamptz not null,
  answered_at timestamptz,
  -- Answered by the deadline, not by the seller.
  automatic boolean not null,
  primary key (seller_id, order_id, request_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_cancel_request');
create unique index order_cancel_request_external on order_cancel_request (seller_id, order_id, external_request_id);
create index order_cancel_request_open on order_cancel_request (seller_id, respond_by) where status = 'open';

create table order_return (
  seller_id id not null,
  return_id id not null,
  external_return_id text collate "C" not null,
  order_id id not null,
  status text not null check (status in ('requested', 'accepted', 'refused', 'received', 'inspected', 'closed')),
  respond_by timestamptz,
  requested_at timestamptz not null,
  answered_at timestamptz,
  received_at timestamptz,
  inspected_at timestamptz,
  closed_at timestamptz,
  reason text,
  detail text,
  version integer not null,
  primary key (seller_id, order_id, return_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_return');
create unique index order_return_external on order_return (seller_id, order_id, external_return_id);
create index order_return_requested on order_return (seller_id, respond_by) where status = 'requested';

create table order_return_line (
  seller_id id not null,
  order_id id not null,
  return_id id not null,
  order_line_id id not null,
  quantity integer not null check (quantity > 0),
  reason text,
  received integer check (received between 0 and quantity),
  compliant boolean,
  restocked integer not null default 0 check (restocked between 0 and quantity),
  note text,
  primary key (seller_id, order_id, return_id, order_line_id),
  foreign key (seller_id, order_id, return_id) references order_return,
  foreign key (seller_id, order_line_id) references order_line
);
select protect_seller_table('order_return_line');

create table order_refund (
  seller_id id not null,
  refund_id id not null,
  -- The marketplace's id, once its event has come.
  external_refund_id text collate "C",
  order_id id not null,
  status text not null check (status in ('requested', 'processing', 'succeeded', 'failed')),
  requested_by text not null check (requested_by in ('seller', 'marketplace')),
  amount_minor bigint not null check (amount_minor > 0),
  reason text,
  provider_transaction_id text,
  failure_code text,
  created_at timestamptz not null,
  -- Order of its confirmations and failures: the newest that was applied.
  settled_at timestamptz,
  -- Digits: what the marketplace counts may be above 2^53.
  settled_version text collate "C",
  version integer not null,
  primary key (seller_id, order_id, refund_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_refund');
create unique index order_refund_external on order_refund (seller_id, order_id, external_refund_id);

create table order_refund_line (
  seller_id id not null,
  order_id id not null,
  refund_id id not null,
  order_line_id id not null,
  quantity integer not null check (quantity >= 0),
  amount_minor bigint not null check (amount_minor > 0),
  primary key (seller_id, order_id, refund_id, order_line_id),
  foreign key (seller_id, order_id, refund_id) references order_refund,
  foreign key (seller_id, order_line_id) references order_line
);
select protect_seller_table('order_refund_line');

create table order_dispute (
  seller_id id not null,
  dispute_id id not null,
  external_dispute_id text collate "C" not null,
  order_id id not null,
  status text not null check (status in ('open', 'lost', 'won')),
  amount_minor bigint not null check (amount_minor > 0),
  provider_fee_minor bigint not null check (provider_fee_minor >= 0),
  returned_fee_minor bigint check (returned_fee_minor >= 0),
  respond_by timestamptz,
  opened_at timestamptz not null,
  decided_at timestamptz,
  -- Digits: what the marketplace counts may be above 2^53.
  decided_version text collate "C",
  version integer not null,
  primary key (seller_id, order_id, dispute_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_dispute');
create unique index order_dispute_external on order_dispute (seller_id, order_id, external_dispute_id);

-- Parcels as shipping sees them: what was handed to a carrier.
create view v_orders_parcel with (security_invoker = true) as
select s.seller_id, s.shipment_id, s.order_id, o.order_number, s.carrier, s.service, s.tracking_number, s.status,
  s.dispatched_at, s.delivered_at, o.ship_to, s.packages, s.label_id
from order_shipment s join sales_order o on o.seller_id = s.seller_id and o.order_id = s.order_id
where s.carrier is not null;
grant select on v_orders_parcel to spp_app, spp_system;
