-- owner: supply
--
-- Finding a supplier by words, and by what it sells now.
alter table supplier
  -- Folded name, description and categories. A release without the column leaves it null: no words find
  -- such a supplier until it publishes itself again.
  add column search_text text collate "C",
  -- Active items, and those of them that can be dropshipped. Each publication of items adds the difference.
  add column items integer not null default 0,
  add column dropship_items integer not null default 0;

update supplier s
   set search_text = lower(concat_ws(' ', s.name, s.about, array_to_string(s.categories, ' '))),
       items = i.items,
       dropship_items = i.dropship_items
  from (select s.supplier_id,
               count(i.supplier_id) as items,
               count(i.dropship) as dropship_items
          from supplier s
          left join supplier_item i
            on i.supplier_id = s.supplier_id
           and i.status = 'active'
         group by s.supplier_id) i
 where i.supplier_id = s.supplier_id;
