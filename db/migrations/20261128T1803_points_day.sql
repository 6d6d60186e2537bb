-- owner: loyalty
--
-- Points by day, so that a wallet is read as fast after a million journals as after a thousand.

alter table loyalty_member add column balance bigint not null default 0;

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

-- Row-level security would show the migration no rows.
alter table points_journal no force row level security;
alter table loyalty_member no force row level security;
alter table points_day no force row level security;
update loyalty_member m
   set balance = j.balance
  from (select seller_id, member_id, sum(balance_change) as balance
          from points_journal
         group by seller_id, member_id) j
 where j.seller_id = m.seller_id
   and j.member_id = m.member_id;
insert into points_day (seller_id, posted_on, kind, points)
select b.seller_id, b.posted_on, s.kind, sum(s.points)
  from (select j.*,
               sum(balance_change) over (
                 partition by seller_id, member_id order by journal_id) as later
          from points_journal j) b
 cross join lateral (values
   (b.kind, b.points),
   ('outstanding', greatest(b.later, 0) - greatest(b.later - b.balance_change, 0)),
   ('deficit', least(b.later, 0) - least(b.later - b.balance_change, 0))) as s (kind, points)
 group by b.seller_id, b.posted_on, s.kind;
alter table points_day force row level security;
alter table loyalty_member force row level security;
alter table points_journal force row level security;
