-- owner: platform
--
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
