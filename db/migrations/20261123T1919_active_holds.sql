-- owner: settlements
--
-- Every reason of every seller that holds money back now, once for each source that has it. An empty
-- settlement stands for all of the seller.
create view v_settlements_hold with (security_invoker = true) as
select
  seller_id,
  settlement_id,
  reason,
  'marketplace' as source,
  note,
  since
from settlement_hold
where active
union all
select
  seller_id,
  ''::id,
  reason,
  source,
  note,
  since
from settlement_source_hold;
grant select on v_settlements_hold to spp_app, spp_system;
