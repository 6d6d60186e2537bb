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
