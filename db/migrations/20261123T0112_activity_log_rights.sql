-- owner: platform
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

-- What rows were before they changed, so that an event which the marketplace tells late is judged by what
-- was in force at its time. A row was like this until `held_until`; the change after it, or the row itself,
-- says what came then. Source: docs/design/orders.md#late-events.
create table past_row (
  seller_id id not null,
  of_table text not null,
  held_until timestamptz not null,
  key text not null,
  content jsonb not null,
  primary key (seller_id, of_table, held_until, key)
);
select protect_seller_table('past_row');
create index past_row_age on past_row (held_until);

-- The arguments are the column of the key and the columns to keep. Of several changes at one instant the
-- first one changes what held before it.
create function keep_past_row() returns trigger language plpgsql as $$
begin
  insert into past_row (seller_id, of_table, held_until, key, content)
  select old.seller_id, tg_table_name, new.updated_at, to_jsonb(old)->>tg_argv[0],
         jsonb_object_agg(f.key, f.value)
    from jsonb_each(to_jsonb(old)) f
   where f.key = any(tg_argv)
      on conflict do nothing;
  return null;
end $$;

create view v_platform_past with (security_invoker = true) as
select
  seller_id,
  of_table,
  held_until,
  content
from past_row;
grant select on v_platform_past to spp_app, spp_system;

-- The first instant at which a job must run again that was asked for while it runs. It is an instant and not
-- a flag, because a job may be asked for at a later time than its end.
alter table job add column again_at timestamptz;
update job
   set again_at = due_at
 where asked_again
   and lease_until is not null;
alter table job drop column asked_again;

-- The buyers of each seller, under pseudonyms: the same person has another id at every seller.
create table buyer (
  seller_id id not null,
  buyer_id id not null,
  -- What the marketplace calls the buyer; `alias:…` when it gave an alias only. Null after the erasure.
  customer_ref text collate "C",
  -- Null once the buyer is erased.
  alias text,
  first_seen_at timestamptz not null,
  erased_at timestamptz,
  primary key (seller_id, buyer_id)
);
select protect_seller_table('buyer');
