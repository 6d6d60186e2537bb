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
  -- The texts until then are deleted.
  forgotten_upto timestamptz,
  -- When the buyer of a thread was erased. Texts of a time before it are stored redacted.
  erased_at timestamptz,
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
