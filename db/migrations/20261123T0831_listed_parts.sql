-- owner: orders
--
-- Refunds and returns are listed over all orders, newest first.
create index order_refund_newest on order_refund (seller_id, created_at, refund_id);
create index order_return_newest on order_return (seller_id, requested_at, return_id);
