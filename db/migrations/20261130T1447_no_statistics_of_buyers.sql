-- owner: platform
--
-- PostgreSQL keeps frequent and extreme values of a column as statistics, also after the rows have lost them.
-- It gathers none of columns with names, addresses and texts of buyers, so an erasure leaves none. It never
-- keeps values of a json column.
alter table attachment alter column filename set statistics 0;
alter table buyer
  alter column alias set statistics 0,
  alter column customer_ref set statistics 0;
alter table contest
  alter column detail set statistics 0,
  alter column decision_detail set statistics 0;
alter table feedback alter column text set statistics 0;
alter table idempotency_key alter column body set statistics 0;
alter table order_cancel_request alter column reason set statistics 0;
alter table order_event
  alter column reason set statistics 0,
  alter column detail set statistics 0;
alter table order_refund alter column reason set statistics 0;
alter table order_return
  alter column reason set statistics 0,
  alter column detail set statistics 0;
alter table order_return_line
  alter column reason set statistics 0,
  alter column note set statistics 0;
alter table order_tracking
  alter column location set statistics 0,
  alter column detail set statistics 0;
alter table sales_order
  alter column buyer_alias set statistics 0,
  alter column customer_ref set statistics 0,
  alter column search_text set statistics 0;
alter table shipping_manifest_line
  alter column recipient set statistics 0,
  alter column destination set statistics 0,
  alter column postcode set statistics 0;
alter table shipping_quote alter column request set statistics 0;
alter table thread_message
  alter column text set statistics 0,
  alter column content_digest set statistics 0;
alter table ticket alter column subject set statistics 0;
alter table ticket_entry
  alter column text set statistics 0,
  alter column content_digest set statistics 0;
alter table webhook_attempt alter column response_head set statistics 0;

-- Forgets what was gathered before. Until PostgreSQL 17 only a superuser may (docs/operations.md#upgrade).
do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    perform pg_clear_attribute_stats(current_schema(), c.relname, a.attname, false)
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind = 'r'
      and not a.attisdropped
      and a.attstattarget = 0;
  end if;
end
$$;
