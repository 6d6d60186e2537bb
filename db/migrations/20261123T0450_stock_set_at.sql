-- owner: products
--
-- When the seller set the stock last; for a file, when the file was received. `updated_at` also moves with
-- orders. Null: not set since this column exists.
alter table inventory add column set_at timestamptz;
