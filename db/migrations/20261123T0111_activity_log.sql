-- owner: platform
--
-- The activity log of each seller: one entry for each write request that was decided, written in the
-- transaction of its effect. The sealer numbers committed entries and chains their hashes.
create table audit_entry (
  seller_id id not null,
  -- In the order of writing.
  audit_id id not null,
  at timestamptz not null,
  actor_kind text not null,
  actor_id id,
  roles text[],
  aal text,
  -- The id of the route, or the type of the event.
  action text not null,
  target_type text,
  target_id id,
  result text not null check (result in ('done', 'refused', 'replayed')),
  status integer,
  code text,
  -- Names only, never values.
  changed_fields text[],
  counts jsonb,
  request_id text,
  ip_prefix text,
  user_agent_family text,
  -- Null until the sealer has sealed the entry.
  seq bigint,
  -- Hexadecimal digits, as the canonical form has them.
  prev_hash text,
  hash text,
  primary key (seller_id, audit_id)
);
select protect_seller_table('audit_entry');
-- A request pays for this index and the key only. The sealer pays for the others.
create index audit_entry_unsealed on audit_entry (seller_id, audit_id) where seq is null;
create unique index audit_entry_seq on audit_entry (seller_id, seq) where seq is not null;
create index audit_entry_action on audit_entry (seller_id, action, audit_id) where seq is not null;
create index audit_entry_actor on audit_entry (seller_id, actor_id, audit_id) where seq is not null;
create index audit_entry_target on audit_entry (seller_id, target_id, audit_id) where seq is not null;
create index audit_entry_request on audit_entry (seller_id, request_id, audit_id) where seq is not null;
-- Most entries are of members and done: a page of these is near in any order.
create index audit_entry_kind on audit_entry (seller_id, actor_kind, audit_id)
 where seq is not null and actor_kind <> 'member';
create index audit_entry_result on audit_entry (seller_id, result, audit_id)
 where seq is not null and result <> 'done';

-- The end of each seller's chain.
create table audit_head (
  seller_id id primary key,
  seq bigint not null default 0,
  hash text not null default repeat('0', 64),
  -- The last entry that was deleted for its age; the chain verifies from here.
  anchor_seq bigint not null default 0,
  anchor_hash text not null default repeat('0', 64),
  -- The last entry that an event `audit.checkpoint` has named.
  checkpoint_seq bigint not null default 0,
  verified_at timestamptz
);
select protect_seller_table('audit_head');
-- For the daily checkpoints.
create index audit_head_news on audit_head (seller_id) where seq > checkpoint_seq;

-- An entry is sealed once and never changes otherwise. It is deleted only below the anchor, and only if it is
-- older than the transaction says that entries are kept.
create function guard_audit_entry() returns trigger language plpgsql as $$
declare
  unsealed audit_entry := new;
begin
  if tg_op = 'DELETE' then
    if old.at < nullif(current_setting('app.audit_kept_since', true), '')::timestamptz
       and exists (select from audit_head h
                    where h.seller_id = old.seller_id and h.anchor_seq >= old.seq) then
      return old;
    end if;
    raise exception 'an entry of the activity log is deleted only for its age' using errcode = '23001';
  end if;
  unsealed.seq := null;
  unsealed.prev_hash := null;
  unsealed.hash := null;
  if unsealed is not distinct from old
     and new.seq is not null and new.prev_hash is not null and new.hash is not null then
    return new;
  end if;
  raise exception 'an entry of the activity log does not change' using errcode = '23001';
end $$;
create trigger audit_entry_guard before update or delete on audit_entry
  for each row execute function guard_audit_entry();
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
-- Requests of sellers may begin the head of a chain, to note a verification. They cannot say where the chain
-- ends.
revoke insert on audit_head from spp_app;
grant insert (seller_id, verified_at) on audit_head to spp_app;
