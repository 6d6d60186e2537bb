-- owner: orders
--
-- The list of orders by the state of their payment: nearly all are captured, so the others have an index.
create index sales_order_not_captured on sales_order (seller_id, recorded_at, order_id)
  where payment_status <> 'captured';
