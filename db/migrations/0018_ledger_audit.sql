-- Whether the money adds up, as the nightly check found it last.

-- Orders as the books see them: what a line is worth, and whether units of it are still on their way somewhere.
create view v_orders_units with (security_invoker = true) as
select seller_id, order_id, order_line_id, net_minor, awaiting + accepted_open + in_transit as open_units from order_line;
grant select on v_orders_units to spp_app, spp_system;

-- not a seller table: the check looks at all sellers at once.
create table ledger_audit (
  invariant text primary key,
  -- Rows that contradict it; 0 where it holds.
  violations bigint not null check (violations >= 0),
  -- Some of them, [{"seller_id", "subject", "found"}].
  examples json not null,
  checked_at timestamptz not null
);
alter table ledger_audit enable row level security;
alter table ledger_audit force row level security;
create policy system on ledger_audit to spp_system using (true) with check (true);
grant select, insert, update on ledger_audit to spp_system;
