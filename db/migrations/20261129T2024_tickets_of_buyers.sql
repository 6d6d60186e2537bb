-- owner: customer_service
--
-- Whose the tickets are, for the platform: a pseudonym is deleted once nothing has it.
create view v_customer_service_buyer with (security_invoker = true) as
select
  seller_id,
  ticket_id,
  buyer_id
from ticket
where buyer_id is not null;
grant select on v_customer_service_buyer to spp_app, spp_system;
