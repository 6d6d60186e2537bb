-- owner: customer_service
--
-- Tickets between a seller and the marketplace or a buyer, their conversation and history in one, and the
-- clocks of the side that owes the next step.

create table ticket (
  seller_id id not null,
  ticket_id id not null,
  -- What the marketplace calls it.
  external_ticket_id text collate "C",
  kind text not null check (kind in ('seller_request', 'marketplace_request', 'enquiry', 'claim')),
  topic text not null check (topic in (
    'order_problem', 'delivery', 'return', 'refund', 'claim', 'dispute', 'settlement', 'payout', 'fee',
    'invoice', 'catalogue', 'account', 'technical', 'policy', 'other')),
  subject text not null,
  priority text not null check (priority in ('low', 'normal', 'high', 'urgent')),
  status text not null
    check (status in ('pending_seller', 'pending_marketplace', 'pending_buyer', 'resolved', 'closed')),
  escalated_at timestamptz,
  -- Null: no buyer, or the buyer was erased.
  buyer_id id,
  -- What it is about: ids by the names of their fields.
  links jsonb not null,
  claim jsonb,
  reply_count integer not null,
  file_count integer not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolution text,
  closes_at timestamptz,
  -- The newest event of the marketplace that has set the state, by the marketplace's clock.
  state_at timestamptz,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the buyer of a ticket was erased. Texts of a time before it are stored redacted.
  erased_at timestamptz,
  -- The newest priority, by the marketplace's clock. Texts and states have no part in it.
  priority_at timestamptz,
  primary key (seller_id, ticket_id)
);
select protect_seller_table('ticket');
create unique index ticket_external on ticket (seller_id, external_ticket_id)
  where external_ticket_id is not null;
create index ticket_status on ticket (seller_id, status, ticket_id);
create index ticket_changed on ticket (seller_id, updated_at);
create index ticket_order on ticket (seller_id, (links->>'order_id'), ticket_id);
create index ticket_buyer on ticket (seller_id, buyer_id) where buyer_id is not null;

create table ticket_entry (
  seller_id id not null,
  entry_id id not null,
  ticket_id id not null,
  -- What the marketplace calls a text of its own or of a buyer.
  external_entry_id text collate "C",
  author text not null check (author in ('seller', 'marketplace', 'buyer', 'system')),
  member_id id,
  move text not null,
  -- Null: a move without a text, or the text was deleted.
  text text,
  masked text[] not null,
  redacted jsonb,
  attachment_ids text[] not null,
  -- Of what is stored of a text of the marketplace; null once it is deleted.
  content_digest text,
  recorded_at timestamptz not null,
  primary key (seller_id, entry_id),
  foreign key (seller_id, ticket_id) references ticket
);
select protect_seller_table('ticket_entry');
create index ticket_entry_ticket on ticket_entry (seller_id, ticket_id, entry_id);
create unique index ticket_entry_external on ticket_entry (seller_id, external_entry_id)
  where external_entry_id is not null;

create table sla_clock (
  seller_id id not null,
  ticket_id id not null,
  metric text not null check (metric in ('response', 'resolution')),
  round integer not null,
  obligated text not null check (obligated in ('seller', 'marketplace')),
  policy_version text not null,
  -- Milliseconds of business time.
  target_ms double precision not null,
  fixed boolean not null,
  started_at timestamptz not null,
  used_ms double precision not null,
  running_since timestamptz,
  warn_at timestamptz,
  due_at timestamptz,
  stopped_at timestamptz,
  outcome text not null check (outcome in ('running', 'paused', 'met', 'breached', 'cancelled')),
  primary key (seller_id, ticket_id, metric, round),
  foreign key (seller_id, ticket_id) references ticket,
  check (outcome <> 'running' or running_since is not null)
);
select protect_seller_table('sla_clock');
create index sla_clock_started on sla_clock (seller_id, started_at);
create index sla_clock_breached on sla_clock (obligated) where outcome = 'breached' and stopped_at is null;
-- One response is owed at a time.
create unique index sla_clock_response on sla_clock (seller_id, ticket_id)
  where metric = 'response' and stopped_at is null;
