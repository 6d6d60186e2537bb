-- owner: orders
--
-- Whether a supplier has had units of the line: dropship follows what becomes of those that it gave back.
alter table order_line
  add column was_supplied boolean not null default false;
