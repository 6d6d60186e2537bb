-- owner: platform
--
-- Requests of sellers may begin the head of a chain, to note a verification. They cannot say where the chain
-- ends.
alter table audit_head
  alter column seq set default 0,
  alter column hash set default repeat('0', 64);
revoke insert on audit_head from spp_app;
grant insert (seller_id, verified_at) on audit_head to spp_app;
