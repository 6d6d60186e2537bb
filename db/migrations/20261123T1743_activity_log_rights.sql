-- owner: platform
--
-- The rights to the activity log: requests of sellers only add unsealed entries. The sealer and the deletion
-- of old entries run as the system. No role can truncate the log.

revoke update, delete on audit_entry, audit_head from spp_app;
-- A request takes the one verification of the hour.
grant update (verified_at) on audit_head to spp_app;

create function refuse_audit_entry() returns trigger language plpgsql as $$
begin
  raise exception 'an entry of the activity log is % only by the %',
    case tg_op when 'INSERT' then 'sealed' else 'deleted' end,
    case tg_op when 'INSERT' then 'sealer' else 'retention' end
    using errcode = '23001';
end $$;
create trigger audit_entry_unsealed before insert on audit_entry
  for each row when (new.seq is not null or new.prev_hash is not null or new.hash is not null)
  execute function refuse_audit_entry();
create trigger audit_entry_kept before truncate on audit_entry
  for each statement execute function refuse_audit_entry();
