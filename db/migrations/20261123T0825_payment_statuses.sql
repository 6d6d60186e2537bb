-- owner: orders
--
-- The payment of an order may be given back, in part or whole, or be voided before it was captured.
alter table sales_order
  drop constraint sales_order_payment_status_check,
  add constraint sales_order_payment_status_check
    check (payment_status in ('pending', 'captured', 'partially_refunded', 'refunded', 'voided'));
-- Orders that have ended or were refunded before; a later change works it out to the cent. Row-level security
-- would show the migration none of them.
alter table sales_order no force row level security;
update sales_order
   set payment_status = case when captured_at is null then 'voided'
                             when status in ('rejected', 'cancelled')
                               or refund_status = 'refunded' then 'refunded'
                             else 'partially_refunded' end
 where status in ('rejected', 'cancelled')
    or (captured_at is not null and refund_status in ('refunded', 'partially_refunded'));
alter table sales_order force row level security;
