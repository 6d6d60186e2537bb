-- owner: settlements
--
-- A settlement counts the orders of its deliveries, also those with nothing left to pay after their
-- discounts. No figure of money changes. Row-level security would show the migration no row.
alter table settlement disable trigger user;
alter table settlement no force row level security;
alter table settlement_line no force row level security;
alter table ledger_entry no force row level security;
update settlement s
   set order_count = l.orders
  from (
    select l.seller_id, l.settlement_id, count(distinct e.order_id) as orders
    from settlement_line l
    join ledger_entry e on e.seller_id = l.seller_id and e.entry_id = l.entry_id
    where e.type in ('sale', 'seller_order_fee', 'payment_processing')
    group by 1, 2
  ) l
 where l.seller_id = s.seller_id
   and l.settlement_id = s.settlement_id
   and s.order_count <> l.orders;
alter table settlement force row level security;
alter table settlement enable trigger user;
alter table settlement_line force row level security;
alter table ledger_entry force row level security;

-- Reasons to hold all settlements of a seller, from other sources than the marketplace and the ledger. A
-- reason is active while any source has it, and one source never clears another's. A reason that ends is
-- deleted, because these sources are states that are read as a whole.
create table settlement_source_hold (
  seller_id id not null,
  source text not null check (source in ('provider', 'kyc')),
  reason text not null check (reason in ('payout_account_missing', 'payouts_disabled', 'kyc_required')),
  note text,
  since timestamptz not null,
  primary key (seller_id, source, reason)
);
select protect_seller_table('settlement_source_hold');

-- Every reason of every seller that holds money back now, once for each source that has it. An empty
-- settlement stands for all of the seller.
create view v_settlements_hold with (security_invoker = true) as
select
  seller_id,
  settlement_id,
  reason,
  'marketplace' as source,
  note,
  since
from settlement_hold
where active
union all
select
  seller_id,
  ''::id,
  reason,
  source,
  note,
  since
from settlement_source_hold;
grant select on v_settlements_hold to spp_app, spp_system;
