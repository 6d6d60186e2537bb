-- owner: sourcing
--
-- Requests for quotation, and what suppliers answer. The answers are facts: the states of a request and of
-- its quotes follow from them in any order (docs/design/sourcing.md#quotes).

create table rfq (
  seller_id id not null references seller,
  rfq_id id not null,
  title text not null,
  lines jsonb not null,
  supplier_ids text[] collate "C" not null,
  reply_by timestamptz not null,
  -- State and postcode. Suppliers learn no street before an order.
  ship_to jsonb not null,
  note text,
  currency text not null,
  status text not null check (
    status in ('draft', 'open', 'answered', 'expired', 'withdrawn', 'awarded')
  ),
  -- Always the number of its quotes that were not withdrawn.
  quotes integer not null check (quotes >= 0),
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, rfq_id)
);
select protect_seller_table('rfq');
create index rfq_open on rfq (seller_id) where status = 'open';
create index rfq_age on rfq (updated_at);

create table rfq_quote (
  seller_id id not null,
  quote_id id not null,
  rfq_id id not null,
  supplier_id id not null,
  -- As the supplier was called when it quoted.
  supplier_name text not null,
  quote_ref text collate "C" not null,
  quoted_at timestamptz not null,
  valid_until timestamptz not null,
  currency text not null,
  lines jsonb not null,
  -- Null: not stated, which is not zero.
  freight_minor bigint check (freight_minor >= 0),
  free_freight_from_minor bigint check (free_freight_from_minor >= 0),
  note text,
  status text not null check (status in ('open', 'accepted', 'declined', 'expired', 'withdrawn')),
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, quote_id),
  unique (seller_id, rfq_id, supplier_id, quote_ref),
  foreign key (seller_id, rfq_id) references rfq on delete cascade
);
select protect_seller_table('rfq_quote');
create index rfq_quote_listed on rfq_quote (seller_id, rfq_id, quote_id);

-- A supplier withdraws a quote, which may not be told yet, or declines the request with all quotes so far.
create table rfq_withdrawal (
  seller_id id not null,
  rfq_id id not null,
  supplier_id id not null,
  -- Empty: it declines the request.
  quote_ref text collate "C" not null,
  withdrawn_at timestamptz not null,
  reason text,
  primary key (seller_id, rfq_id, supplier_id, quote_ref),
  foreign key (seller_id, rfq_id) references rfq on delete cascade
);
select protect_seller_table('rfq_withdrawal');

-- Items that sellers ask for, or that were quoted to them: an award still makes orders of them.
create view v_sourcing_items with (security_invoker = true) as
select line ->> 'supplier_item_id' as supplier_item_id
  from rfq
 cross join jsonb_array_elements(lines) line
 where line ->> 'supplier_item_id' is not null
 union all
select line ->> 'supplier_item_id'
  from rfq_quote
 cross join jsonb_array_elements(lines) line;
grant select on v_sourcing_items to spp_system;
