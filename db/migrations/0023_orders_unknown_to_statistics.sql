-- As 0009 for the catalogue: statistics of seller_id know the sellers that were there when they were gathered. For a
-- seller who came since, or grew, the orders of an SKU were looked up once for each of its orders (seconds for 50,000).
alter table sales_order alter column seller_id set statistics 0;
alter table order_line alter column seller_id set statistics 0;
alter table order_shipment alter column seller_id set statistics 0;
alter table order_shipment_line alter column seller_id set statistics 0;
alter table order_label alter column seller_id set statistics 0;
alter table order_tracking alter column seller_id set statistics 0;
alter table order_event alter column seller_id set statistics 0;
alter table order_cancel_request alter column seller_id set statistics 0;
alter table order_return alter column seller_id set statistics 0;
alter table order_return_line alter column seller_id set statistics 0;
alter table order_refund alter column seller_id set statistics 0;
alter table order_refund_line alter column seller_id set statistics 0;
alter table order_dispute alter column seller_id set statistics 0;

-- What was gathered before stays otherwise. Servers before PostgreSQL 18 cannot forget it; there it grows old.
do $$
declare
  known regclass;
begin
  if to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') is null then
    return;
  end if;
  for known in
    select attrelid::regclass from pg_attribute
    where attname = 'seller_id' and attstattarget = 0 and attrelid in (select oid from pg_class where relkind = 'r')
  loop
    execute format(
      'select pg_catalog.pg_clear_attribute_stats(%L, %L, %L, false)',
      (select relnamespace::regnamespace::text from pg_class where oid = known),
      (select relname from pg_class where oid = known),
      'seller_id'
    );
  end loop;
end
$$;
