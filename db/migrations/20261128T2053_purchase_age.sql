-- owner: wholesale
--
-- Old purchase orders are deleted with their parts.
create index purchase_order_age on purchase_order (updated_at)
  where status in ('draft', 'received', 'cancelled');

-- Items that sellers have ordered.
create view v_wholesale_items with (security_invoker = true) as
select supplier_item_id
  from purchase_line;
grant select on v_wholesale_items to spp_system;
