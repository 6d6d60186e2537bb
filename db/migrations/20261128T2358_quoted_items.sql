-- owner: sourcing
--
-- Items that sellers ask for, or that were quoted to them: an award still makes orders of them.
create view v_sourcing_items with (security_invoker = true) as
select line ->> 'supplier_item_id' as supplier_item_id
  from rfq
 cross join jsonb_array_elements(lines) line
 where line ->> 'supplier_item_id' is not null
 union all
select line ->> 'supplier_item_id'
  from rfq_quote
 cross join jsonb_array_elements(lines) line;
grant select on v_sourcing_items to spp_system;
