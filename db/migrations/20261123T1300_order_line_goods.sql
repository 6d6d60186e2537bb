-- owner: orders
--
-- What a packer sees of the goods, as they were when the order was placed; null on lines of earlier orders.
alter table order_line
  add column gtin text collate "C",
  add column weight_g integer,
  add column image_url text;

-- An accepted order whose payment has not arrived needs attention. Row-level security would show the
-- migration none of them.
alter table sales_order no force row level security;
update sales_order
   set attention = array_append(attention, 'payment_pending')
 where payment_status = 'pending'
   and accepted_open > 0;
alter table sales_order force row level security;
