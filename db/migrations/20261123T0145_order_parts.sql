-- owner: orders
--
-- Which kinds of rows an order has beside its lines, so that a read asks only their tables: most orders
-- have no return, refund or dispute. `parts` counts only while `parts_version` is the order's version; a
-- writer that does not know the column leaves the old version there, and the read asks every table again.
alter table sales_order
  add column parts text[] not null default '{}',
  add column parts_version integer;
