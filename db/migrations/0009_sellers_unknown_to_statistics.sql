-- Statistics of seller_id tell which sellers had many rows when they were gathered. A seller who has come since
-- counts as one row, and to the planner any index that begins with seller_id is then as good as the right one: it
-- reads a whole catalogue for every product that is looked up. Without them each seller counts as the same small
-- part of the table, and a key is looked up by its own index, however old the statistics are.
alter table product alter column seller_id set statistics 0;
alter table inventory alter column seller_id set statistics 0;
alter table feed_row alter column seller_id set statistics 0;
