-- owner: wholesale
-- The costs of received lines, last change first: a page of unit costs reads the newest.
create index purchase_line_cost_newest on purchase_line (seller_id, cost_recorded_at, purchase_line_id)
 where product_id is not null
   and cost_from is not null;

-- The currency is looked up for each line: a join might read all orders of a seller without statistics.
create or replace view v_wholesale_cost with (security_invoker = true) as
select l.seller_id,
       l.product_id,
       l.purchase_line_id,
       (select o.currency
          from purchase_order o
         where o.seller_id = l.seller_id
           and o.purchase_order_id = l.purchase_order_id) as currency,
       l.cost_from as effective_from,
       l.cost_micros as amount_micros,
       l.cost_missing as missing,
       l.cost_recorded_at as entered_at
  from purchase_line l
 where l.product_id is not null
   and l.cost_from is not null;
