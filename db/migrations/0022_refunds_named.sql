-- A refund may be known only by having failed, before what it was about is told.
alter table order_refund
  drop constraint order_refund_amount_minor_check,
  add constraint order_refund_amount_minor_check
    check (amount_minor > 0 or (amount_minor = 0 and made_at is null and status = 'failed'));
