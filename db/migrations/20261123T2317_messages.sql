-- owner: messages
--
-- Threads between a buyer and the seller, their messages, and the turns in which the seller owes an answer.

create table message_thread (
  seller_id id not null references seller,
  thread_id id not null,
  external_thread_id text collate "C",
  order_id id,
  product_id id,
  -- Null: the marketplace names no buyer, or the buyer was erased.
  buyer_id id,
  topic text not null,
  state text not null check (state in ('awaiting_seller', 'awaiting_buyer', 'settled', 'closed')),
  locked boolean not null,
  message_count integer not null,
  unread_count integer not null check (unread_count >= 0),
  -- Messages of the seller since the buyer's last one.
  sent_in_row integer not null,
  -- The number of the newest turn; 0: there was none.
  turn_no integer not null,
  -- Some turn was answered late.
  missed boolean not null,
  last_message_at timestamptz not null,
  respond_by timestamptz,
  next_due_at timestamptz,
  previous_thread_id id,
  closed_at timestamptz,
  closed_by text check (closed_by in ('seller', 'marketplace')),
  -- By the marketplace's clock: the buyer's newest message, the newest message of anybody but the seller, the
  -- newest closing, and the newest state, so that late events change nothing that newer ones have decided.
  asked_at timestamptz,
  heard_at timestamptz,
  closed_upto timestamptz,
  state_at timestamptz,
  state_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, thread_id),
  check ((state = 'awaiting_seller') = (respond_by is not null)),
  check (next_due_at is null or respond_by is not null),
  check ((state = 'closed') = (closed_at is not null))
);
select protect_seller_table('message_thread');
create index message_thread_newest on message_thread (seller_id, last_message_at, thread_id);
create index message_thread_unread on message_thread (seller_id, last_message_at, thread_id)
  where unread_count > 0;
create index message_thread_waiting on message_thread (seller_id, last_message_at, thread_id)
  where state = 'awaiting_seller';
create index message_thread_missed on message_thread (seller_id, last_message_at, thread_id)
  where missed;
create index message_thread_due on message_thread (seller_id, next_due_at)
  where next_due_at is not null;
create index message_thread_overdue on message_thread (respond_by)
  where state = 'awaiting_seller';
create index message_thread_order on message_thread (seller_id, order_id)
  where order_id is not null;
create index message_thread_product on message_thread (seller_id, product_id)
  where product_id is not null;
create index message_thread_buyer on message_thread (seller_id, buyer_id)
  where buyer_id is not null;
create index message_thread_external on message_thread (seller_id, external_thread_id)
  where external_thread_id is not null;
create index message_thread_previous on message_thread (seller_id, previous_thread_id)
  where previous_thread_id is not null;

create table thread_message (
  seller_id id not null,
  message_id id not null,
  thread_id id not null,
  external_message_id text collate "C",
  origin text not null check (origin in ('buyer', 'seller', 'marketplace', 'automatic')),
  member_id id,
  -- Null once it is redacted. Texts of others are stored without contact data.
  text text,
  masked text[] not null,
  redacted jsonb,
  attachment_ids text[] not null,
  status text not null
    check (status in ('queued', 'held', 'delivered', 'received', 'rejected', 'removed')),
  reasons text[] not null,
  unread boolean not null,
  -- The turn that this reply has ended.
  ended_turn integer,
  reported_at timestamptz,
  -- Of what is stored of a message of the marketplace; null once it is redacted.
  content_digest text,
  -- The newest moderation, by the marketplace's clock.
  decided_at timestamptz,
  decided_version bigint,
  sent_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (seller_id, message_id),
  foreign key (seller_id, thread_id) references message_thread,
  check ((text is null) = (redacted is not null))
);
select protect_seller_table('thread_message');
create index thread_message_thread on thread_message (seller_id, thread_id, message_id);
create index thread_message_unread on thread_message (seller_id, message_id)
  where unread;
create index thread_message_newest on thread_message (seller_id, recorded_at, message_id);
create unique index thread_message_external on thread_message (seller_id, external_message_id)
  where external_message_id is not null;

create table thread_turn (
  seller_id id not null,
  thread_id id not null,
  turn_no integer not null,
  opened_at timestamptz not null,
  opened_on date not null,
  policy_version text not null,
  target_minutes integer not null,
  -- Null after the warning.
  warn_at timestamptz,
  respond_by timestamptz not null,
  overdue_at timestamptz,
  ended_at timestamptz,
  outcome text not null
    check (outcome in ('open', 'in_time', 'late', 'no_reply_needed', 'withdrawn')),
  business_minutes integer,
  primary key (seller_id, thread_id, turn_no),
  foreign key (seller_id, thread_id) references message_thread,
  check ((outcome = 'open') = (ended_at is null))
);
select protect_seller_table('thread_turn');
-- At most one turn of a thread is open.
create unique index thread_turn_open on thread_turn (seller_id, thread_id)
  where outcome = 'open';
create index thread_turn_opened on thread_turn (seller_id, opened_on);

-- What the dashboard asks.
create view v_messages_waiting with (security_invoker = true) as
select
  seller_id,
  respond_by,
  unread_count
from message_thread
where unread_count > 0
  or state = 'awaiting_seller';
grant select on v_messages_waiting to spp_app, spp_system;
