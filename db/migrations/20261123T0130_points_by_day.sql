-- owner: loyalty
--
-- Differences between points and money that sellers were told about, once for each order and status.
create table loyalty_mismatch (
  seller_id id not null references seller,
  order_id id not null,
  status text not null check (status in ('points_missing', 'fund_missing', 'amount_differs')),
  told_at timestamptz not null,
  open boolean not null,
  primary key (seller_id, order_id, status)
);
select protect_seller_table('loyalty_mismatch');
create index loyalty_mismatch_open on loyalty_mismatch (status, seller_id) where open;

-- Points of each kind, and by how much the balances above and below zero have changed together. Journals
-- count on the day of their recording, so the rows of a day that is over never change.
create table points_day (
  seller_id id not null,
  posted_on date not null,
  kind text not null check (kind in (
    'earned', 'redeemed', 'expired', 'reversed', 'restored', 'adjusted', 'outstanding', 'deficit')),
  points bigint not null,
  primary key (seller_id, posted_on, kind)
);
select protect_seller_table('points_day');

create function sum_points_by_day() returns trigger language plpgsql as $$
declare
  later bigint;
  earlier bigint;
begin
  update loyalty_member
     set balance = balance + new.balance_change
   where seller_id = new.seller_id
     and member_id = new.member_id
  returning balance into later;
  earlier := later - new.balance_change;
  insert into points_day as d (seller_id, posted_on, kind, points)
  select new.seller_id, new.posted_on, s.kind, s.points
    from (values
      (new.kind, new.points),
      ('outstanding', greatest(later, 0) - greatest(earlier, 0)),
      ('deficit', least(later, 0) - least(earlier, 0))) as s (kind, points)
   where s.points <> 0
      on conflict (seller_id, posted_on, kind) do update
     set points = d.points + excluded.points;
  return null;
end $$;
create trigger summed_by_day after insert on points_journal
  for each row execute function sum_points_by_day();
