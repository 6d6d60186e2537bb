-- owner: loyalty
--
-- The loyalty program of the marketplace: its terms, the enrolments of sellers, and the points of their
-- orders.

-- not a seller table: the terms are the same for every seller.
create table loyalty_program (
  version text collate "C" primary key,
  name text not null,
  effective_from date not null,
  points_per_major integer not null check (points_per_major > 0),
  notice_days integer not null check (notice_days >= 0),
  terms_url text not null,
  terms_sha256 text not null,
  published_at timestamptz not null,
  -- When the service learned of it. The wallet of a past day stays the same, so it counts only terms that the
  -- service knew at the end of that day.
  recorded_at timestamptz not null
);
select publish_table('loyalty_program');

-- A period of taking part. The newest row is the present state.
create table loyalty_enrolment (
  seller_id id not null references seller,
  enrolment_id id not null,
  state text not null check (state in ('requested', 'active', 'ending', 'refused', 'ended')),
  from_on date not null,
  -- The first day on which it no longer holds.
  to_on date,
  program_version text not null,
  -- Null: the marketplace.
  requested_by id,
  decided_at timestamptz,
  reason text,
  known_at timestamptz,
  known_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, enrolment_id)
);
select protect_seller_table('loyalty_enrolment');

create table loyalty_member (
  seller_id id not null references seller,
  member_id id not null,
  member_ref text collate "C" not null,
  -- Points by day, so that a wallet is read as fast after a million journals as after a thousand.
  balance bigint not null default 0,
  primary key (seller_id, member_id),
  unique (seller_id, member_ref)
);
select protect_seller_table('loyalty_member');

-- What the marketplace says about points. Points are above zero; those of an adjustment have a sign.
create table points_journal (
  seller_id id not null,
  journal_id id not null,
  transaction_id text collate "C" not null,
  kind text not null check (kind in ('earned', 'redeemed', 'expired', 'reversed', 'restored', 'adjusted')),
  member_id id not null,
  order_id id,
  refund_id text,
  -- Of restored points: the transaction that had redeemed them.
  redemption_transaction_id text collate "C",
  points bigint not null check (points > 0 or kind = 'adjusted'),
  -- What it changes of the member's balance.
  balance_change bigint not null generated always as (
    case when kind in ('redeemed', 'expired', 'reversed') then -points else points end) stored,
  funded_minor bigint not null,
  currency text not null,
  occurred_at timestamptz not null,
  -- The Sydney day of recording: a day that is over never changes.
  posted_on date not null,
  recorded_at timestamptz not null,
  digest text not null,
  primary key (seller_id, journal_id),
  unique (seller_id, transaction_id),
  foreign key (seller_id, member_id) references loyalty_member
);
select protect_seller_table('points_journal');
create index points_journal_member on points_journal (seller_id, member_id, kind);
create index points_journal_order on points_journal (seller_id, order_id, kind) where order_id is not null;
create index points_journal_day on points_journal (seller_id, posted_on);
create index points_journal_recent on points_journal (recorded_at);

create function refuse_change_of_points() returns trigger language plpgsql as $$
begin
  raise exception 'points are append-only: corrections are new journals'
    using errcode = 'restrict_violation';
end $$;
create trigger append_only
  before update or delete on points_journal
  for each row execute function refuse_change_of_points();
create trigger never_emptied
  before truncate on points_journal
  execute function refuse_change_of_points();
