-- owner: supply
--
-- How sellers find items of suppliers: by words of their texts, and by brand and part number without
-- accents and capitals. The service folds the texts; items of before are folded roughly until then.
alter table supplier_item
  add column search_text text not null default '',
  add column brand_folded text collate "C",
  add column mpn_folded text collate "C",
  add column search tsvector not null
    generated always as (to_tsvector('simple'::regconfig, search_text)) stored;
update supplier_item
   set search_text = lower(concat_ws(' ', title, brand, mpn, supplier_sku, gtin14, category)),
       brand_folded = lower(brand),
       mpn_folded = lower(mpn);
create index supplier_item_search on supplier_item using gin (search);
create index supplier_item_newest on supplier_item (published_at, supplier_item_id);
create index supplier_item_of_supplier on supplier_item (supplier_id, published_at, supplier_item_id);
create index supplier_item_gtin on supplier_item (gtin14) where gtin14 is not null;
create index supplier_item_part on supplier_item (mpn_folded, brand_folded) where mpn_folded is not null;
create index supplier_item_brand on supplier_item (brand_folded, published_at, supplier_item_id)
  where brand_folded is not null;
