-- owner: contests
--
-- What the seller says should not count: ratings, feedback and figures.
create table contest (
  seller_id id not null references seller,
  contest_id id not null,
  target_kind text not null check (target_kind in ('performance', 'rating', 'feedback')),
  target_id id not null,
  target_revision integer not null,
  reason text not null,
  detail text,
  -- As they were when it was submitted.
  facts jsonb not null,
  status text not null check (status in ('submitted', 'under_review', 'upheld', 'declined', 'withdrawn')),
  decided_at timestamptz,
  decision_code text,
  decision_detail text,
  -- The newest event of the marketplace about it.
  known_at timestamptz,
  known_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, contest_id)
);
select protect_seller_table('contest');
create unique index contest_standing on contest (seller_id, target_kind, target_id, target_revision)
  where status <> 'withdrawn';
create index contest_target on contest (seller_id, target_kind, target_id, contest_id);
create index contest_undecided on contest (seller_id) where status in ('submitted', 'under_review');

-- For areas that list their targets by what is contested.
create view v_contests_contest with (security_invoker = true) as
select
  seller_id,
  target_kind,
  target_id,
  status
from contest;
grant select on v_contests_contest to spp_app, spp_system;
