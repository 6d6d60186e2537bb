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
create index supplier_item_search on supplier_item using gin (search);
create index supplier_item_newest on supplier_item (published_at, supplier_item_id);
create index supplier_item_of_supplier on supplier_item (supplier_id, published_at, supplier_item_id);
create index supplier_item_gtin on supplier_item (gtin14) where gtin14 is not null;
create index supplier_item_part on supplier_item (mpn_folded, brand_folded) where mpn_folded is not null;
create index supplier_item_brand on supplier_item (brand_folded, published_at, supplier_item_id)
  where brand_folded is not null;

-- Old items that are not sold any more and that no seller has ordered or listed are deleted.
create index supplier_item_age on supplier_item (updated_at)
  where status = 'discontinued';

-- Without it a category with few items is looked for among all items.
create index supplier_item_category on supplier_item (category, published_at, supplier_item_id);
create index supplier_item_in_stock on supplier_item (published_at, supplier_item_id)
  where in_stock and status = 'active';
