-- owner: supply
--
-- Items of suppliers as dropship reads them, with the newest counts.
create view v_supply_dropship with (security_invoker = true) as
select i.supplier_item_id,
       i.supplier_id,
       i.title,
       i.description,
       i.brand,
       i.mpn,
       i.gtin14,
       i.category,
       (i.dropship ->> 'unit_cost_minor')::bigint as unit_cost_minor,
       (i.dropship ->> 'fee_minor')::bigint as fee_minor,
       i.status as item_status,
       i.available,
       i.available_as_of,
       s.name as supplier_name,
       s.status as supplier_status,
       s.currency
  from supplier_item i
  join supplier s
    on s.supplier_id = i.supplier_id;
grant select on v_supply_dropship to spp_app, spp_system;
