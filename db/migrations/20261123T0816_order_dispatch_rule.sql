-- owner: orders
--
-- The dispatch deadline is frozen when the order is placed. The rule that it follows stands beside it: whose
-- rule, which shipping profile, and the calendar. Null: the order was placed before the service kept it.
alter table sales_order add column dispatch_rule json;

-- The seller's return policy when the return was requested. Null: there was none.
alter table order_return add column return_policy text;
