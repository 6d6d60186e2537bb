-- owner: supply
--
-- Old items that are not sold any more and that no seller has ordered or listed are deleted.
create index supplier_item_age on supplier_item (updated_at)
  where status = 'discontinued';
grant delete on supplier_item to spp_system;
