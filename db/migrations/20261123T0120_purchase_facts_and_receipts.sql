-- owner: wholesale
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

-- How suppliers behaved in purchase orders, for the scorecard (docs/design/sourcing.md#scorecard).
create view v_wholesale_orders with (security_invoker = true) as
select seller_id,
       purchase_order_id,
       supplier_id
  from purchase_order
 where status <> 'draft';
grant select on v_wholesale_orders to spp_app, spp_system;
create index purchase_order_supplier on purchase_order (seller_id, supplier_id) where status <> 'draft';
