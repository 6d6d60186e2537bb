-- owner: orders
-- Why the seller refused a return. The reason of the buyer has a column of its own.
alter table order_return
  add column refusal_reason text;
