-- owner: orders
--
-- Orders and what happens to them. The quantities are the truth, and every status follows from them; a status
-- column serves lists. No foreign key to seller, for the reason that the products file gives; the statistics
-- target of seller_id is 0 for the reason given there: without that, a search for the orders of one SKU read
-- them once for each order (seconds for 50,000).

create table sales_order (
  seller_id id not null,
  -- The marketplace's own id when it begins with "ord_".
  order_id id not null,
  external_order_id text collate "C",
  order_number text collate "C" not null,
  status text not null check (status in (
    'awaiting_acceptance', 'accepted', 'partially_shipped', 'shipped', 'delivered', 'closed', 'rejected',
    'cancelled')),
  payment_status text not null check (payment_status in ('pending', 'captured')),
  refund_status text not null
    check (refund_status in ('none', 'requested', 'partially_refunded', 'refunded')),
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
  -- When the service recorded the order: the seller's windows run from this instant.
  recorded_at timestamptz not null,
  accept_by timestamptz not null,
  acceptance_warned_at timestamptz,
  accepted_at timestamptz,
  -- When the acceptance window closed while units still waited for an answer.
  expired_at timestamptz,
  dispatch_by timestamptz,
  late_at timestamptz,
  respond_by timestamptz,
  delivered_at timestamptz,
  -- End of the return window. The order closes then, unless something about it is still open.
  closes_at timestamptz,
  closed_at timestamptz,
  -- The next instant at which a timer of this order is due.
  next_due_at timestamptz,
  captured_minor bigint check (captured_minor >= 0),
  captured_at timestamptz,
  -- Facts of the payment as the marketplace sent them; orders compute nothing from them.
  charge_id text,
  provider_fee_minor bigint,
  provider_transaction_id text,
  charge_total_minor bigint,
  charge_provider_fee_minor bigint,
  share_of json,
  placed_facts json not null,
  -- Folded words: the text that `q` searches.
  search_text text collate "C" not null,
  version integer not null,
  updated_at timestamptz not null,
  primary key (seller_id, order_id)
);
select protect_seller_table('sales_order');
alter table sales_order alter column seller_id set statistics 0;
create unique index sales_order_external on sales_order (seller_id, external_order_id);
create index sales_order_newest on sales_order (seller_id, recorded_at, order_id);
create index sales_order_status on sales_order (seller_id, status, recorded_at, order_id);
create index sales_order_changed on sales_order (seller_id, updated_at, order_id);
create index sales_order_number on sales_order (seller_id, order_number);
create index sales_order_attention on sales_order (seller_id, recorded_at, order_id) where attention <> '{}';
create index sales_order_to_accept on sales_order (seller_id, accept_by) where awaiting > 0;
create index sales_order_to_dispatch on sales_order (seller_id, dispatch_by) where accepted_open > 0;
-- The payment provider names a charge without its seller.
create index sales_order_charge on sales_order (charge_id) where charge_id is not null;
-- The ledger asks which orders lack the provider's fee.
create index sales_order_without_fee on sales_order (seller_id, order_id)
  where provider_fee_minor is null and charge_provider_fee_minor is null;

create table order_line (
  seller_id id not null,
  order_line_id id not null,
  order_id id not null,
  -- From 1, in the order of the marketplace's list.
  line_no integer not null,
  kind text not null check (kind in ('item', 'shipping')),
  -- Null: the catalogue does not have the SKU.
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
  -- Units ordered; 0 for a shipping line, so that quantities count goods only.
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
alter table order_line alter column seller_id set statistics 0;
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
  -- The body of the request, or the data of the event.
  facts json,
  changes json not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (seller_id, order_id, entry)
);
select protect_seller_table('order_event');
alter table order_event alter column seller_id set statistics 0;

create table order_shipment (
  seller_id id not null,
  shipment_id id not null,
  order_id id not null,
  status text not null check (status in (
    'draft', 'dispatched', 'in_transit', 'out_for_delivery', 'failed', 'returned_to_sender', 'delivered',
    'lost', 'cancelled')),
  -- 'marketplace': the marketplace recorded the dispatch and the delivery.
  origin text not null check (origin in ('seller', 'marketplace')),
  packages json not null,
  carrier text,
  service text,
  tracking_number text collate "C",
  tracking_url text,
  label_id id,
  dispatched_at timestamptz,
  delivered_at timestamptz,
  -- Order of the carrier's news: the newest that the service applied.
  tracked_at timestamptz,
  -- Digits: the marketplace's counter may pass 2^53.
  tracked_version text collate "C",
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, shipment_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_shipment');
alter table order_shipment alter column seller_id set statistics 0;
create index order_shipment_order on order_shipment (seller_id, order_id);
create index order_shipment_tracking on order_shipment (seller_id, tracking_number)
  where tracking_number is not null;
create index order_shipment_dispatched on order_shipment (seller_id, dispatched_at)
  where dispatched_at is not null;

create table order_shipment_line (
  seller_id id not null,
  shipment_id id not null,
  order_line_id id not null,
  quantity integer not null check (quantity >= 0),
  -- How many of the units came out of the stock. Units sold beyond the stock and delivered by the marketplace
  -- took nothing out of the stock; when they turn out to be cancelled, nothing goes back.
  held integer not null default 0 check (held between 0 and quantity),
  primary key (seller_id, shipment_id, order_line_id),
  foreign key (seller_id, shipment_id) references order_shipment,
  foreign key (seller_id, order_line_id) references order_line
);
select protect_seller_table('order_shipment_line');
alter table order_shipment_line alter column seller_id set statistics 0;

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
  -- All that the label shows, so that every print of it is the same.
  content json not null,
  created_at timestamptz not null,
  voided_at timestamptz,
  primary key (seller_id, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_label');
alter table order_label alter column seller_id set statistics 0;
create index order_label_shipment on order_label (seller_id, shipment_id);

-- Purchases of labels from a carrier over the network. The service commits the row before it asks the
-- carrier, and the row names the label for good: no crash in between loses a label that is paid for, or buys
-- it twice.
create table order_label_purchase (
  seller_id id not null,
  -- The id that the label gets.
  label_id id not null,
  order_id id not null,
  shipment_id id not null,
  -- 'open': the carrier has not answered yet. 'failed': the carrier did not answer in time, and the request
  -- failed. 'dropped': the seller does not want the label any more, and the service returns what it bought.
  -- 'ended': nothing is left to do.
  status text not null check (status in ('open', 'failed', 'dropped', 'ended')),
  carrier text not null,
  service text not null,
  quote_id id,
  option_id text,
  -- The quote's price. Null: the carrier sets the price.
  price_minor bigint check (price_minor >= 0),
  -- What the label shows and the service sends to the carrier.
  content json not null,
  -- The member who asked for the label.
  author json not null,
  -- On the system's clock, as every lease: until then one worker asks the carrier.
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_label_purchase');
-- A shipment has one label, and one purchase of a label.
create unique index order_label_purchase_pending on order_label_purchase (seller_id, shipment_id)
  where status in ('open', 'failed');

-- The tracking numbers of a label's packages after the first; order_shipment has the first package's number.
create table order_package_number (
  seller_id id not null,
  tracking_number text collate "C" not null,
  label_id id not null,
  shipment_id id not null,
  primary key (seller_id, tracking_number, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_package_number');

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
alter table order_tracking alter column seller_id set statistics 0;

-- The marketplace names requests, returns, refunds and disputes within their order. The service keeps such an
-- id where it has the service's own form.
create table order_cancel_request (
  seller_id id not null,
  request_id id not null,
  external_request_id text collate "C" not null,
  order_id id not null,
  -- 'void': none of the units it names is open any more.
  status text not null check (status in ('open', 'accepted', 'denied', 'void')),
  lines json not null,
  reason text,
  respond_by timestamptz not null,
  requested_at timestamptz not null,
  answered_at timestamptz,
  -- The deadline answered, not the seller.
  automatic boolean not null,
  primary key (seller_id, order_id, request_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_cancel_request');
alter table order_cancel_request alter column seller_id set statistics 0;
create unique index order_cancel_request_external
  on order_cancel_request (seller_id, order_id, external_request_id);
create index order_cancel_request_open on order_cancel_request (seller_id, respond_by) where status = 'open';

create table order_return (
  seller_id id not null,
  return_id id not null,
  external_return_id text collate "C" not null,
  order_id id not null,
  status text not null
    check (status in ('requested', 'accepted', 'refused', 'received', 'inspected', 'closed')),
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
alter table order_return alter column seller_id set statistics 0;
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
alter table order_return_line alter column seller_id set statistics 0;

create table order_refund (
  seller_id id not null,
  refund_id id not null,
  -- The marketplace's id, once its event has come.
  external_refund_id text collate "C",
  order_id id not null,
  status text not null check (status in ('requested', 'processing', 'succeeded', 'failed')),
  requested_by text not null check (requested_by in ('seller', 'marketplace')),
  amount_minor bigint not null,
  reason text,
  provider_transaction_id text,
  failure_code text,
  created_at timestamptz not null,
  -- Order of its confirmations and failures: the newest that the service applied.
  settled_at timestamptz,
  -- Digits: the marketplace's counter may pass 2^53.
  settled_version text collate "C",
  version integer not null,
  -- When the marketplace made the refund: the ledger counts by it. Null of a refund that is only requested.
  made_at timestamptz,
  primary key (seller_id, order_id, refund_id),
  foreign key (seller_id, order_id) references sales_order,
  -- The news that a refund failed may come before the amount of that refund.
  constraint order_refund_amount_minor_check
    check (amount_minor > 0 or (amount_minor = 0 and made_at is null and status = 'failed'))
);
select protect_seller_table('order_refund');
alter table order_refund alter column seller_id set statistics 0;
create unique index order_refund_external on order_refund (seller_id, order_id, external_refund_id);
-- The payment provider names a refund without its seller.
create index order_refund_provider on order_refund (provider_transaction_id)
  where provider_transaction_id is not null;

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
alter table order_refund_line alter column seller_id set statistics 0;

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
  -- Digits: the marketplace's counter may pass 2^53.
  decided_version text collate "C",
  version integer not null,
  primary key (seller_id, order_id, dispute_id),
  foreign key (seller_id, order_id) references sales_order
);
select protect_seller_table('order_dispute');
alter table order_dispute alter column seller_id set statistics 0;
create unique index order_dispute_external on order_dispute (seller_id, order_id, external_dispute_id);

-- For shipping: the parcels that a carrier has. tracking_numbers lists the numbers of all packages in their
-- order. It and labelled_at are null when the parcel does not have a label of the service.
create view v_orders_parcel with (security_invoker = true) as
select
  s.seller_id,
  s.shipment_id,
  s.order_id,
  o.order_number,
  s.carrier,
  s.service,
  s.tracking_number,
  s.status,
  s.dispatched_at,
  s.delivered_at,
  o.ship_to,
  s.packages,
  s.label_id,
  l.content->'tracking_numbers' as tracking_numbers,
  l.created_at as labelled_at
from order_shipment s
join sales_order o
  on o.seller_id = s.seller_id
  and o.order_id = s.order_id
left join order_label l
  on l.seller_id = s.seller_id
  and l.label_id = s.label_id
  and l.tracking_number = s.tracking_number
where s.carrier is not null;
grant select on v_orders_parcel to spp_app, spp_system;

-- For shipping: the numbers of further packages, without those of void labels.
create view v_orders_package with (security_invoker = true) as
select
  n.seller_id,
  n.tracking_number,
  n.shipment_id
from order_package_number n
join order_shipment s
  on s.seller_id = n.seller_id
  and s.shipment_id = n.shipment_id
where s.label_id = n.label_id;
grant select on v_orders_package to spp_app, spp_system;

-- For shipping: the carrier's news about a parcel, in the order of their record.
create view v_orders_tracking with (security_invoker = true) as
select
  seller_id,
  shipment_id,
  position,
  status,
  at,
  location,
  detail
from order_tracking;
grant select on v_orders_tracking to spp_app, spp_system;

-- For products: lines that hold less stock than they need. A change that adds stock looks for them here.
create view v_orders_short with (security_invoker = true) as
select
  seller_id,
  product_id,
  order_id
from order_line
where reserved < awaiting + accepted_open
  and product_id is not null;
grant select on v_orders_short to spp_app, spp_system;

-- For the ledger: what a line is worth, and how many of its units may still move.
create view v_orders_units with (security_invoker = true) as
select
  seller_id,
  order_id,
  order_line_id,
  net_minor,
  awaiting + accepted_open + in_transit as open_units
from order_line;
grant select on v_orders_units to spp_app, spp_system;

-- For the ledger and its documents: the lines of orders.
create view v_orders_line with (security_invoker = true) as
select
  seller_id,
  order_line_id,
  order_id,
  line_no,
  kind,
  product_id,
  seller_sku,
  title,
  category,
  ordered,
  unit_price_minor,
  gross_minor,
  discount_minor,
  net_minor,
  platform_fee_bps,
  delivered
from order_line;
grant select on v_orders_line to spp_app, spp_system;

-- For the ledger: orders and what their payment was.
create view v_orders_sold with (security_invoker = true) as
select
  seller_id,
  order_id,
  order_number,
  status,
  currency,
  loyalty,
  placed_at,
  delivered_at,
  items_minor,
  shipping_minor,
  seller_discount_minor,
  total_minor,
  captured_minor,
  charge_id,
  provider_transaction_id,
  charge_total_minor,
  charge_provider_fee_minor,
  provider_fee_minor,
  share_of is not null as shared,
  provider_fee_minor is not null or charge_provider_fee_minor is not null as fee_captured
from sales_order;
grant select on v_orders_sold to spp_app, spp_system;

-- For the ledger: refunds that the payment provider knows.
create view v_orders_given_back with (security_invoker = true) as
select
  seller_id,
  order_id,
  coalesce(external_refund_id, refund_id) as refund_id,
  provider_transaction_id
from order_refund
where provider_transaction_id is not null;
grant select on v_orders_given_back to spp_app, spp_system;

-- For the ledger: the marketplace's name of an order.
create view v_orders_named with (security_invoker = true) as
select
  seller_id,
  order_id,
  external_order_id,
  currency
from sales_order;
grant select on v_orders_named to spp_app, spp_system;

-- For the dashboard: how much waits for an answer of the seller.
create view v_orders_waiting with (security_invoker = true) as
select
  (select count(*)::int from sales_order where awaiting > 0) as to_accept,
  (select count(*)::int from sales_order where accepted_open > 0) as to_dispatch,
  (select count(*)::int from order_cancel_request where status = 'open') as cancel_requests,
  (select count(*)::int from order_return where status = 'requested') as returns_to_answer,
  (select count(*)::int from order_dispute where status = 'open') as disputes;
grant select on v_orders_waiting to spp_app, spp_system;

-- For the dashboard, which decides by the service's clock which orders are overdue.
create view v_orders_to_dispatch with (security_invoker = true) as
select
  seller_id,
  order_id,
  dispatch_by
from sales_order
where accepted_open > 0;
grant select on v_orders_to_dispatch to spp_app, spp_system;
