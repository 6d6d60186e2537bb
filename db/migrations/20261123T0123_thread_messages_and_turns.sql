-- owner: messages
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

-- Texts of threads are deleted some time after the newest message.
create index message_thread_kept on message_thread (last_message_at)
  where forgotten_upto is null or forgotten_upto < last_message_at;

-- The files of threads, with the end of their thread, and whether something about its order is still open.
create index thread_message_files on thread_message using gin (attachment_ids)
  where attachment_ids <> '{}';
