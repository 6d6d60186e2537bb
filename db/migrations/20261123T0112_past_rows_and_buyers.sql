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
create unique index buyer_customer_ref on buyer (seller_id, customer_ref);

-- Buyers who are known by an alias only, for modules that erase what such a buyer turns out to be.
create view v_platform_buyer with (security_invoker = true) as
select
  seller_id,
  buyer_id,
  alias,
  customer_ref like 'alias:%' as is_alias
from buyer;
grant select on v_platform_buyer to spp_app, spp_system;

-- Erased references, by digests under a key of the installation. Events that tell of an earlier time still
-- come: they must not bring back what was erased.
create table buyer_erasure (
  seller_id id not null,
  ref_digest text collate "C" not null,
  -- The instant of the request; what happened later is about a new pseudonym.
  erased_at timestamptz not null,
  -- The pseudonym that was erased; null if the seller had none.
  buyer_id id,
  -- Orders that keep what their delivery needs; a job erases them when their units have arrived.
  open_order_ids text[] not null default '{}',
  recorded_at timestamptz not null,
  -- The objects that the erasures of a reference have reached. Texts may come to them later without a
  -- reference, so a repeated erasure looks at these objects again.
  object_ids text[] not null default '{}',
  primary key (seller_id, ref_digest)
);
select protect_seller_table('buyer_erasure');
create index buyer_erasure_open on buyer_erasure (recorded_at) where open_order_ids <> '{}';
create index buyer_erasure_age on buyer_erasure (recorded_at);
create index buyer_erasure_objects on buyer_erasure using gin (object_ids);
