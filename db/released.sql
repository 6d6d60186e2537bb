-- The schema of the last release; written by "npm run gen -- --release", otherwise never changed.
-- released: 20261123T0001_platform.sql 48c20bc051a779c767b2e7660169ed5a615f4f7f13b59b2f7c5efbe55280efc0
-- released: 20261123T0002_outbox.sql 2a421e30f16aaa5ebdbb6b48ba96ce70a84d8ffc355c75c11969f75ca10e5d4a
-- released: 20261123T0003_sellers.sql bb749e58883f2501bf3adfee1097a0b11cbce8674d6c454f4c7ab9a0ce2d5373
-- released: 20261123T0005_marketplace.sql 48030bd7d7a45b2c4fe218f07e947ce224c310f88d4018e538da4e3f9ca393fb
-- released: 20261123T0006_demo.sql ea23bc32a346ad66236d3ec2d31660884688e7d36de76a59afe323dd0c731905
-- released: 20261123T0007_notifications.sql 7bd1ad1c1c92d80aabd95b280132b0c9fc7065b1cf2449ce3824af36f06c134a
-- released: 20261123T0008_products.sql 8d3c0f09fdd2f834ddefdb6f912a35d5d0636a8cb367abb52a2494df79d596ae
-- released: 20261123T0009_webhooks.sql fa6b9d68d6a9ce7e36c12fa3d06be94da86ab7dda13923c2dbc90fadab4ca030
-- released: 20261123T0010_orders.sql 0eccb5437896691d736191fb05757034bb8e66bc6daea596573df42841f86b4f
-- released: 20261123T0011_shipping.sql 821e2a735b645150aa0dd421fdd43560553c284d625701406ec9cb2ec3ab7db3
-- released: 20261123T0012_fees.sql e3cdb14b75d722ed23e9795798ffdb0474696592a23329ce9f69ba568e79ce65
-- released: 20261123T0013_ledger.sql 90ac4578244ebc6b07635df4b3c540455a7f9c7877c16197b109694f91b066af
-- released: 20261123T0014_reconciliation.sql 467848a15044e7a14c865481fb87ddd7ba7df56bcb38c0b65677297a3991efdf
-- released: 20261123T0015_settlements.sql 95218be51e9366043f17c82644a1bab1e33f99e5f00cc664ec2a55bdb2b66e6f
-- released: 20261123T0016_payouts.sql ca8db10f5112e5538b1f35a090ce3a49479778303d6afb1528bace47b9d8b9ee
-- released: 20261123T0017_invoices.sql 33657d8642fb1deac30be65ed9849c8c1ae45146b3c5f2f4b2675ebc0ca29bca

create domain id as text collate "C";

CREATE OR REPLACE FUNCTION public.count_new_products()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, count(*) from after_rows where status <> 'archived' group by seller_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_products()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, sum(delta) from (
    select seller_id, count(*) as delta from after_rows where status <> 'archived' group by seller_id
    union all
    select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id
  ) both_sides group by seller_id having sum(delta) <> 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_team_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'team_members',
    case when new.status = 'removed' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'removed' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'removed' then 1 else 0 end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_webhook_endpoints()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'webhook_endpoints', case when new.status = 'deleted' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'deleted' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'deleted' then 1 else 0 end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.protect_seller_table(target regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy seller on %s to spp_app
       using (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))
       with check (seller_id = nullif(current_setting(''app.seller_id'', true), ''''))', target);
  -- The worker has a policy of its own: an OR in the seller's policy would cost the index.
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to spp_app, spp_system', target);
end $function$;

CREATE OR REPLACE FUNCTION public.publish_table(target regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy everybody on %s for select to spp_app using (true)', target);
  execute format('create policy system on %s to spp_system using (true) with check (true)', target);
  execute format('grant select on %s to spp_app', target);
  execute format('grant select, insert, update on %s to spp_system', target);
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_closed_figures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (
    old.currency, old.period_start, old.period_end, old.opening_balance_minor, old.gross_amount_minor,
    old.fees_minor, old.adjustments_minor, old.net_amount_minor, old.reserve_change_minor,
    old.payable_amount_minor, old.payout_amount_minor, old.closing_balance_minor, old.by_type::text,
    old.order_count, old.line_count, old.lines_sha256, old.calculation_version, old.ledger_position,
    old.closed_at
  ) is distinct from (
    new.currency, new.period_start, new.period_end, new.opening_balance_minor, new.gross_amount_minor,
    new.fees_minor, new.adjustments_minor, new.net_amount_minor, new.reserve_change_minor,
    new.payable_amount_minor, new.payout_amount_minor, new.closing_balance_minor, new.by_type::text,
    new.order_count, new.line_count, new.lines_sha256, new.calculation_version, new.ledger_position,
    new.closed_at
  ) then
    raise exception 'figures of a closed settlement never change' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_the_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the ledger is append-only: corrections are new journals'
    using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_what_is_closed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of % is refused: what is closed stays as it is', lower(tg_op), tg_table_name
    using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.require_all_legs_at_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  wrong record;
begin
  select c.journal_id, c.missing
  into wrong
  from (
    select
      f.journal_id,
      f.legs,
      not exists (
        select from ledger_journal j
        where j.seller_id = f.seller_id and j.journal_id = f.journal_id
      ) as missing,
      (
        select count(*) from ledger_entry e
        where e.seller_id = f.seller_id and e.journal_id = f.journal_id
      ) as standing
    from (
      select seller_id, journal_id, count(*) as legs
      from fresh
      group by seller_id, journal_id
    ) f
  ) c
  where c.missing or c.legs <> c.standing
  limit 1;
  if wrong.missing then
    raise exception 'there is no journal %', wrong.journal_id using errcode = 'foreign_key_violation';
  elsif found then
    raise exception 'journal % has its legs already: they are written at once', wrong.journal_id
      using errcode = 'restrict_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_available_lines()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  closed record;
  stranger text;
begin
  for closed in
    select f.seller_id, f.settlement_id, s.currency, s.period_end
    from (select distinct seller_id, settlement_id from fresh) f
    left join lateral (
      select currency, period_end
      from settlement
      where seller_id = f.seller_id and settlement_id = f.settlement_id
      offset 0
    ) s on true
  loop
    select f.entry_id
    into stranger
    from fresh f
    where f.seller_id = closed.seller_id
      and f.settlement_id = closed.settlement_id
      and (
        select e.bucket is not null and e.currency = closed.currency and e.available_on <= closed.period_end
        from ledger_entry e
        where e.seller_id = closed.seller_id and e.entry_id = f.entry_id
      ) is not true
    limit 1;
    if found then
      raise exception 'entry % is no line of this settlement', stranger
        using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_fees()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  document record;
  stranger text;
begin
  for document in
    select f.seller_id, f.invoice_id, i.currency
    from (select distinct seller_id, invoice_id from fresh) f
    left join lateral (
      select currency
      from invoice
      where seller_id = f.seller_id and invoice_id = f.invoice_id
      offset 0
    ) i on true
  loop
    select f.entry_id
    into stranger
    from fresh f
    where f.seller_id = document.seller_id
      and f.invoice_id = document.invoice_id
      and (
        select e.bucket = 'fees' and e.currency = document.currency
        from ledger_entry e
        where e.seller_id = document.seller_id and e.entry_id = f.entry_id
      ) is not true
    limit 1;
    if found then
      raise exception 'entry % is no fee of this document', stranger
        using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_whole_journal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  legs bigint;
  uneven boolean;
begin
  select coalesce(sum(c.legs), 0), coalesce(bool_or(c.amount <> 0), false)
  into legs, uneven
  from (
    select count(*) as legs, sum(amount_minor) as amount
    from ledger_entry
    where seller_id = new.seller_id and journal_id = new.journal_id
    group by currency
  ) c;
  if legs < 2 then
    raise exception 'journal % has fewer than two legs', new.journal_id using errcode = 'check_violation';
  end if;
  if uneven then
    raise exception 'journal % does not balance', new.journal_id using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.settle_product_count(seller id, OUT moved integer, OUT counted integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  with due as (delete from product_count_change where seller_id = seller returning delta)
  select coalesce(sum(delta), 0) into moved from due;
  if moved = 0 then
    select used into counted from usage_counter where seller_id = seller and resource = 'products';
    return;
  end if;
  update usage_counter set used = used + moved where seller_id = seller and resource = 'products'
  returning used into counted;
  if not found then
    -- The seller's first products. Two requests may create them at the same time.
    insert into usage_counter as counter (seller_id, resource, used) values (seller, 'products', moved)
    on conflict (seller_id, resource) do update set used = counter.used + excluded.used
    returning used into counted;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.settle_product_count_at_commit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform settle_product_count(new.seller_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.sum_ledger_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with days as materialized (
    select
      e.seller_id,
      e.currency,
      e.posted_on,
      e.account,
      (
        select j.kind from ledger_journal j
        where j.seller_id = e.seller_id and j.journal_id = e.journal_id
      ) as kind,
      coalesce(e.type, '') as type,
      coalesce(e.available_on, e.posted_on) as available_on,
      sum(e.amount_minor) as amount_minor,
      count(*) as entries,
      -- Only the first line of an order looks for earlier sales.
      count(case when e.type = 'sale' and e.order_id is not null and e.nth = 1 then (
        select 1 where not exists (
          select from ledger_entry x
          where x.seller_id = e.seller_id
            and x.order_id = e.order_id
            and x.position < e.position
            and x.type = 'sale'
        )
      ) end) as first_sales
    from (
      select f.*, row_number() over (partition by f.seller_id, f.order_id, f.type order by f.position) as nth
      from fresh f
    ) e
    group by 1, 2, 3, 4, 5, 6, 7
  ),
  by_day as (
    insert into ledger_day as d
      (seller_id, currency, posted_on, account, kind, type, available_on, amount_minor, entries, first_sales)
    select * from days
    on conflict (seller_id, currency, posted_on, account, kind, type, available_on) do update
      set amount_minor = d.amount_minor + excluded.amount_minor,
        entries = d.entries + excluded.entries,
        first_sales = d.first_sales + excluded.first_sales
  )
  insert into ledger_month as m
    (seller_id, currency, month, account, kind, type, amount_minor, entries, first_sales)
  select
    seller_id,
    currency,
    date_trunc('month', posted_on)::date,
    account,
    kind,
    type,
    sum(amount_minor),
    sum(entries),
    sum(first_sales)
  from days
  group by 1, 2, 3, 4, 5, 6
  on conflict (seller_id, currency, month, account, kind, type) do update
    set amount_minor = m.amount_minor + excluded.amount_minor,
      entries = m.entries + excluded.entries,
      first_sales = m.first_sales + excluded.first_sales;
  insert into ledger_later_sale (seller_id, currency, available_on, order_id)
  select distinct s.seller_id, s.currency, s.available_on, s.order_id
  from (
    select seller_id, currency, available_on, order_id, journal_id, min(position) as position
    from fresh
    where type = 'sale' and order_id is not null
    group by 1, 2, 3, 4, 5
  ) s
  where (
    select true from ledger_entry x
    where x.seller_id = s.seller_id
      and x.order_id = s.order_id
      and x.position < s.position
      and x.type = 'sale'
    limit 1
  )
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.uncount_products()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id;
  return null;
end $function$;

-- table abn_register_answer, owned by spp_migration
create table abn_register_answer (
  abn text not null,
  answer jsonb not null,
  checked_at timestamp with time zone not null,
  constraint abn_register_answer_pkey PRIMARY KEY (abn)
);
grant delete, insert, select, update on abn_register_answer to spp_system;

-- table auth_session, owned by spp_migration
create table auth_session (
  seller_id id not null,
  sid id not null,
  member_id id not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint auth_session_pkey PRIMARY KEY (seller_id, sid)
);
CREATE INDEX auth_session_expiry ON public.auth_session USING btree (expires_at);
alter table auth_session enable row level security;
alter table auth_session force row level security;
create policy seller on auth_session for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on auth_session for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on auth_session to spp_app;
grant delete, insert, select, update on auth_session to spp_system;

-- table debt_notice, owned by spp_migration
create table debt_notice (
  seller_id id not null,
  currency text not null,
  days integer not null,
  told_on date not null,
  constraint debt_notice_pkey PRIMARY KEY (seller_id, currency, days, told_on),
  constraint debt_notice_days_check CHECK ((days = ANY (ARRAY[30, 60, 180])))
);
alter table debt_notice enable row level security;
alter table debt_notice force row level security;
create policy seller on debt_notice for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on debt_notice for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on debt_notice to spp_app;
grant delete, insert, select, update on debt_notice to spp_system;

-- table demo_history, owned by spp_migration
create table demo_history (
  one boolean default true not null,
  seller_id id,
  began_at timestamp with time zone not null,
  clock_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint demo_history_pkey PRIMARY KEY (one),
  constraint demo_history_one_check CHECK (one)
);
grant insert, select, update on demo_history to spp_system;

-- table event_object, owned by spp_migration
create table event_object (
  seller_id id not null,
  sequence bigint not null,
  type text not null,
  object_id id not null,
  object_version integer not null,
  data json not null,
  constraint event_object_pkey PRIMARY KEY (seller_id, object_id, sequence)
) with (toast_tuple_target=4080);
alter table event_object enable row level security;
alter table event_object force row level security;
create policy seller on event_object for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on event_object for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on event_object to spp_app;
grant delete, insert, select, update on event_object to spp_system;

-- table event_sequence, owned by spp_migration
create table event_sequence (
  seller_id id not null,
  last bigint not null,
  round bigint default 0 not null,
  constraint event_sequence_pkey PRIMARY KEY (seller_id)
);
CREATE INDEX event_sequence_round ON public.event_sequence USING btree (round);
alter table event_sequence enable row level security;
alter table event_sequence force row level security;
create policy seller on event_sequence for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on event_sequence for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on event_sequence to spp_app;
grant delete, insert, select, update on event_sequence to spp_system;

-- table fee_schedule, owned by spp_migration
create table fee_schedule (
  version text collate "C" not null,
  effective_from date not null,
  platform_fee_default_bps integer not null,
  category_overrides json not null,
  shipping_fee_bps integer not null,
  loyalty_program_fund_bps integer not null,
  seller_order_fee_minor bigint not null,
  dispute_fee_minor bigint not null,
  published_at timestamp with time zone not null,
  constraint fee_schedule_pkey PRIMARY KEY (version),
  constraint fee_schedule_dispute_fee_minor_check CHECK ((dispute_fee_minor >= 0)),
  constraint fee_schedule_loyalty_program_fund_bps_check CHECK (((loyalty_program_fund_bps >= 0) AND (loyalty_program_fund_bps <= 10000))),
  constraint fee_schedule_platform_fee_default_bps_check CHECK (((platform_fee_default_bps >= 0) AND (platform_fee_default_bps <= 10000))),
  constraint fee_schedule_seller_order_fee_minor_check CHECK ((seller_order_fee_minor >= 0)),
  constraint fee_schedule_shipping_fee_bps_check CHECK (((shipping_fee_bps >= 0) AND (shipping_fee_bps <= 10000)))
);
CREATE INDEX fee_schedule_effective ON public.fee_schedule USING btree (effective_from, published_at);
alter table fee_schedule enable row level security;
alter table fee_schedule force row level security;
create policy everybody on fee_schedule for select to spp_app
  using (true);
create policy system on fee_schedule for all to spp_system
  using (true)
  with check (true);
grant select on fee_schedule to spp_app;
grant insert, select, update on fee_schedule to spp_system;

-- table feed_row, owned by spp_migration
create table feed_row (
  seller_id id not null,
  run_id id not null,
  row_number integer not null,
  line_start integer not null,
  line_end integer not null,
  seller_sku text,
  product_id id,
  outcome text not null,
  raw_sha256 bytea not null,
  resolution json,
  changes json,
  messages json,
  cells json,
  product_version integer,
  part_of integer,
  constraint feed_row_pkey PRIMARY KEY (seller_id, run_id, row_number)
);
alter table feed_row alter column seller_id set statistics 0;
CREATE INDEX feed_row_product ON public.feed_row USING btree (seller_id, product_id) WHERE (product_id IS NOT NULL);
alter table feed_row enable row level security;
alter table feed_row force row level security;
create policy seller on feed_row for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on feed_row for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on feed_row to spp_app;
grant delete, insert, select, update on feed_row to spp_system;

-- table feed_run, owned by spp_migration
create table feed_run (
  seller_id id not null,
  run_id id not null,
  kind text not null,
  mode text not null,
  on_error text not null,
  dry_run boolean not null,
  async boolean not null,
  status text not null,
  counts json not null,
  source json not null,
  file_id id,
  idempotency_key text,
  replay_key id not null,
  contract_version text not null,
  commits_run_id id,
  reverts_run_id id,
  error json,
  detection json,
  rows_done integer default 0 not null,
  rows_total integer,
  created_by id,
  request_id text,
  cancel_requested_at timestamp with time zone,
  received_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  evidence_expires_at timestamp with time zone,
  constraint feed_run_pkey PRIMARY KEY (seller_id, run_id),
  constraint feed_run_kind_check CHECK ((kind = ANY (ARRAY['products'::text, 'inventory'::text, 'profile_import'::text, 'commit'::text, 'revert'::text]))),
  constraint feed_run_mode_check CHECK ((mode = ANY (ARRAY['upsert'::text, 'update_only'::text, 'create_only'::text, 'inventory'::text]))),
  constraint feed_run_on_error_check CHECK ((on_error = ANY (ARRAY['continue'::text, 'abort'::text]))),
  constraint feed_run_status_check CHECK ((status = ANY (ARRAY['received'::text, 'validating'::text, 'applying'::text, 'succeeded'::text, 'succeeded_with_errors'::text, 'rejected'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))
);
CREATE INDEX feed_run_evidence_expiry ON public.feed_run USING btree (evidence_expires_at) WHERE (evidence_expires_at IS NOT NULL);
CREATE INDEX feed_run_received ON public.feed_run USING btree (seller_id, received_at);
CREATE INDEX feed_run_unfinished ON public.feed_run USING btree (received_at) WHERE (status = ANY (ARRAY['received'::text, 'validating'::text, 'applying'::text]));
alter table feed_run enable row level security;
alter table feed_run force row level security;
create policy seller on feed_run for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on feed_run for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on feed_run to spp_app;
grant delete, insert, select, update on feed_run to spp_system;

-- table file, owned by spp_migration
create table file (
  seller_id id not null,
  file_id id not null,
  purpose text not null,
  content_type text not null,
  bytes bigint not null,
  sha256 bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  constraint file_pkey PRIMARY KEY (seller_id, file_id)
);
CREATE INDEX file_expiry ON public.file USING btree (expires_at) WHERE (expires_at IS NOT NULL);
alter table file enable row level security;
alter table file force row level security;
create policy seller on file for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on file for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on file to spp_app;
grant delete, insert, select, update on file to spp_system;

-- table file_chunk, owned by spp_migration
create table file_chunk (
  seller_id id not null,
  file_id id not null,
  seq integer not null,
  data bytea not null,
  constraint file_chunk_pkey PRIMARY KEY (seller_id, file_id, seq)
);
alter table file_chunk alter column data set storage external;
alter table file_chunk enable row level security;
alter table file_chunk force row level security;
create policy seller on file_chunk for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on file_chunk for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on file_chunk to spp_app;
grant delete, insert, select, update on file_chunk to spp_system;

-- table idempotency_key, owned by spp_migration
create table idempotency_key (
  seller_id id not null,
  route_id text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  headers json,
  body text,
  reference id,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_key_pkey PRIMARY KEY (seller_id, route_id, key)
);
CREATE INDEX idempotency_key_expiry ON public.idempotency_key USING btree (expires_at);
alter table idempotency_key enable row level security;
alter table idempotency_key force row level security;
create policy seller on idempotency_key for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on idempotency_key for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on idempotency_key to spp_app;
grant delete, insert, select, update on idempotency_key to spp_system;

-- table inventory, owned by spp_migration
create table inventory (
  seller_id id not null,
  product_id id not null,
  quantity_on_hand integer,
  quantity_reserved integer default 0 not null,
  reorder_point integer,
  version integer default 1 not null,
  updated_at timestamp with time zone not null,
  constraint inventory_pkey PRIMARY KEY (seller_id, product_id),
  constraint inventory_quantity_on_hand_check CHECK ((quantity_on_hand >= 0)),
  constraint inventory_quantity_reserved_check CHECK ((quantity_reserved >= 0)),
  constraint inventory_reorder_point_check CHECK ((reorder_point >= 0))
) with (fillfactor=80);
alter table inventory alter column seller_id set statistics 0;
alter table inventory enable row level security;
alter table inventory force row level security;
create policy seller on inventory for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on inventory for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on inventory to spp_app;
grant delete, insert, select, update on inventory to spp_system;

-- table invoice, owned by spp_migration
create table invoice (
  seller_id id not null,
  invoice_id id not null,
  invoice_number text collate "C" not null,
  kind text not null,
  settlement_id id not null,
  period_start date not null,
  period_end date not null,
  issued_on date not null,
  status text not null,
  currency text not null,
  total_minor bigint not null,
  supplier json not null,
  recipient json not null,
  gst_mode text not null,
  adjusts_invoice_ids text[] default '{}'::text[] not null,
  pdf_status text not null,
  pdf_file_id id,
  pdf_sha256 text,
  created_at timestamp with time zone not null,
  lines json default '[]'::json not null,
  constraint invoice_pkey PRIMARY KEY (seller_id, invoice_id),
  constraint invoice_seller_id_invoice_number_key UNIQUE (seller_id, invoice_number),
  constraint invoice_gst_mode_check CHECK ((gst_mode = ANY (ARRAY['registered'::text, 'limited'::text, 'none'::text]))),
  constraint invoice_kind_check CHECK ((kind = ANY (ARRAY['tax_invoice'::text, 'adjustment_note'::text, 'invoice'::text]))),
  constraint invoice_pdf_status_check CHECK ((pdf_status = ANY (ARRAY['available'::text, 'pending'::text, 'unavailable'::text, 'failed'::text]))),
  constraint invoice_status_check CHECK ((status = ANY (ARRAY['issued'::text, 'adjusted'::text])))
);
alter table invoice alter column seller_id set statistics 0;
CREATE INDEX invoice_newest ON public.invoice USING btree (seller_id, issued_on, invoice_id);
CREATE INDEX invoice_settlement ON public.invoice USING btree (seller_id, settlement_id);
CREATE INDEX invoice_unrendered ON public.invoice USING btree (created_at) WHERE (pdf_status <> 'available'::text);
alter table invoice enable row level security;
alter table invoice force row level security;
create policy seller on invoice for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on invoice for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.invoice FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER never_goes BEFORE DELETE OR UPDATE OF seller_id, invoice_id ON public.invoice FOR EACH ROW EXECUTE FUNCTION refuse_change_of_what_is_closed();
grant delete, insert, select, update on invoice to spp_app;
grant delete, insert, select, update on invoice to spp_system;

-- table invoice_line, owned by spp_migration
create table invoice_line (
  seller_id id not null,
  entry_id id not null,
  invoice_id id not null,
  constraint invoice_line_pkey PRIMARY KEY (seller_id, entry_id)
);
alter table invoice_line alter column seller_id set statistics 0;
CREATE INDEX invoice_line_invoice ON public.invoice_line USING btree (seller_id, invoice_id);
alter table invoice_line enable row level security;
alter table invoice_line force row level security;
create policy seller on invoice_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on invoice_line for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.invoice_line FOR EACH ROW EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.invoice_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER of_its_fees AFTER INSERT ON public.invoice_line REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION require_fees();
grant delete, insert, select, update on invoice_line to spp_app;
grant delete, insert, select, update on invoice_line to spp_system;

-- table invoice_series, owned by spp_migration
create table invoice_series (
  seller_id id not null,
  last integer not null,
  constraint invoice_series_pkey PRIMARY KEY (seller_id)
);
alter table invoice_series enable row level security;
alter table invoice_series force row level security;
create policy seller on invoice_series for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on invoice_series for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on invoice_series to spp_app;
grant delete, insert, select, update on invoice_series to spp_system;

-- table job, owned by spp_migration
create table job (
  job_id id not null,
  kind text not null,
  seller_id id,
  payload jsonb default '{}'::jsonb not null,
  unique_key text,
  due_at timestamp with time zone not null,
  lease_until timestamp with time zone,
  lease_owner text,
  attempts integer default 0 not null,
  last_error text,
  created_at timestamp with time zone not null,
  constraint job_pkey PRIMARY KEY (job_id)
);
CREATE INDEX job_due ON public.job USING btree (due_at);
CREATE UNIQUE INDEX job_unique ON public.job USING btree (kind, unique_key);
alter table job enable row level security;
alter table job force row level security;
create policy seller on job for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on job for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on job to spp_app;
grant delete, insert, select, update on job to spp_system;

-- table ledger_audit, owned by spp_migration
create table ledger_audit (
  invariant text not null,
  violations bigint not null,
  examples json not null,
  checked_at timestamp with time zone not null,
  constraint ledger_audit_pkey PRIMARY KEY (invariant),
  constraint ledger_audit_violations_check CHECK ((violations >= 0))
);
alter table ledger_audit enable row level security;
alter table ledger_audit force row level security;
create policy system on ledger_audit for all to spp_system
  using (true)
  with check (true);
grant insert, select, update on ledger_audit to spp_system;

-- table ledger_day, owned by spp_migration
create table ledger_day (
  seller_id id not null,
  currency text collate "C" not null,
  posted_on date not null,
  account text collate "C" not null,
  kind text collate "C" not null,
  type text collate "C" not null,
  available_on date not null,
  amount_minor bigint not null,
  entries integer not null,
  first_sales integer not null,
  constraint ledger_day_pkey PRIMARY KEY (seller_id, currency, posted_on, account, kind, type, available_on)
);
alter table ledger_day alter column seller_id set statistics 0;
CREATE INDEX ledger_day_available ON public.ledger_day USING btree (seller_id, currency, available_on) WHERE (type <> ''::text);
alter table ledger_day enable row level security;
alter table ledger_day force row level security;
create policy seller on ledger_day for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_day for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on ledger_day to spp_app;
grant delete, insert, select, update on ledger_day to spp_system;

-- table ledger_entry, owned by spp_migration
create table ledger_entry (
  seller_id id not null,
  entry_id id not null,
  journal_id id not null,
  position bigint not null,
  account text collate "C" not null,
  amount_minor bigint not null,
  currency text not null,
  type text,
  component text,
  bucket text,
  order_id id,
  order_line_id id,
  quantity integer,
  rate_bps integer,
  related_id text collate "C",
  posted_on date not null,
  available_on date,
  late boolean not null,
  description text,
  constraint ledger_entry_pkey PRIMARY KEY (seller_id, entry_id),
  constraint ledger_entry_seller_id_position_key UNIQUE (seller_id, "position"),
  constraint ledger_entry_account_check CHECK ((account = ANY (ARRAY['provider_clearing'::text, 'order_escrow'::text, 'seller_payable'::text, 'seller_reserve'::text, 'seller_settled'::text, 'seller_in_transit'::text, 'buyer_refunds_payable'::text, 'loyalty_fund'::text, 'platform_fee_income'::text, 'seller_order_fee_income'::text, 'processing_cost'::text, 'manual_adjustments'::text, 'platform_loss'::text, 'rounding'::text]))),
  constraint ledger_entry_amount_minor_check CHECK ((amount_minor <> 0)),
  constraint ledger_entry_bucket_check CHECK ((bucket = ANY (ARRAY['gross'::text, 'fees'::text, 'adjustments'::text, 'reserve'::text]))),
  constraint only_payable_entries_are_statement_lines CHECK (((bucket IS NULL) OR (account = 'seller_payable'::text))),
  constraint statement_lines_are_whole CHECK ((((bucket IS NULL) = (type IS NULL)) AND ((bucket IS NULL) = (available_on IS NULL))))
);
alter table ledger_entry alter column seller_id set statistics 0;
CREATE INDEX ledger_entry_available ON public.ledger_entry USING btree (seller_id, currency, available_on) WHERE (bucket IS NOT NULL);
CREATE INDEX ledger_entry_journal ON public.ledger_entry USING btree (seller_id, journal_id);
CREATE INDEX ledger_entry_late ON public.ledger_entry USING btree (seller_id, posted_on) WHERE (late AND (bucket IS NOT NULL));
CREATE INDEX ledger_entry_order ON public.ledger_entry USING btree (seller_id, order_id, "position") WHERE (order_id IS NOT NULL);
CREATE INDEX ledger_entry_related ON public.ledger_entry USING btree (seller_id, related_id) WHERE (related_id IS NOT NULL);
CREATE INDEX ledger_entry_statement ON public.ledger_entry USING btree (seller_id, posted_on, "position") WHERE (bucket IS NOT NULL);
CREATE INDEX ledger_entry_type ON public.ledger_entry USING btree (seller_id, type, posted_on, "position") WHERE (bucket IS NOT NULL);
alter table ledger_entry enable row level security;
alter table ledger_entry force row level security;
create policy seller on ledger_entry for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_entry for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER all_at_once AFTER INSERT ON public.ledger_entry REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION require_all_legs_at_once();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change_of_the_ledger();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_the_ledger();
CREATE TRIGGER summed_by_day AFTER INSERT ON public.ledger_entry REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger_days();
grant delete, insert, select, update on ledger_entry to spp_app;
grant delete, insert, select, update on ledger_entry to spp_system;

-- table ledger_head, owned by spp_migration
create table ledger_head (
  seller_id id not null,
  position bigint not null,
  moved_minor bigint default 0 not null,
  constraint ledger_head_pkey PRIMARY KEY (seller_id),
  constraint ledger_head_moved_minor_check CHECK ((moved_minor >= 0))
);
alter table ledger_head enable row level security;
alter table ledger_head force row level security;
create policy seller on ledger_head for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_head for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on ledger_head to spp_app;
grant delete, insert, select, update on ledger_head to spp_system;

-- table ledger_journal, owned by spp_migration
create table ledger_journal (
  seller_id id not null,
  journal_id id not null,
  kind text not null,
  order_id id,
  refund_id text collate "C",
  dispute_id text collate "C",
  settlement_id id,
  payout_id id,
  occurred_at timestamp with time zone not null,
  posted_on date not null,
  recorded_at timestamp with time zone not null,
  late boolean not null,
  idempotency_key text collate "C" not null,
  reverses_journal_id id,
  reason_code text,
  actor text not null,
  source_event_id text collate "C",
  constraint ledger_journal_pkey PRIMARY KEY (seller_id, journal_id),
  constraint ledger_journal_seller_id_idempotency_key_key UNIQUE (seller_id, idempotency_key),
  constraint ledger_journal_seller_id_reverses_journal_id_key UNIQUE (seller_id, reverses_journal_id)
);
alter table ledger_journal alter column seller_id set statistics 0;
CREATE INDEX ledger_journal_day ON public.ledger_journal USING btree (seller_id, posted_on);
CREATE INDEX ledger_journal_dispute ON public.ledger_journal USING btree (dispute_id) WHERE (dispute_id IS NOT NULL);
CREATE INDEX ledger_journal_order ON public.ledger_journal USING btree (seller_id, order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX ledger_journal_refund ON public.ledger_journal USING btree (refund_id) WHERE (refund_id IS NOT NULL);
alter table ledger_journal enable row level security;
alter table ledger_journal force row level security;
create policy seller on ledger_journal for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_journal for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_journal FOR EACH ROW EXECUTE FUNCTION refuse_change_of_the_ledger();
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON public.ledger_journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_whole_journal();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.ledger_journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_the_ledger();
grant delete, insert, select, update on ledger_journal to spp_app;
grant delete, insert, select, update on ledger_journal to spp_system;

-- table ledger_later_sale, owned by spp_migration
create table ledger_later_sale (
  seller_id id not null,
  currency text collate "C" not null,
  available_on date not null,
  order_id id not null,
  constraint ledger_later_sale_pkey PRIMARY KEY (seller_id, currency, available_on, order_id)
);
alter table ledger_later_sale enable row level security;
alter table ledger_later_sale force row level security;
create policy seller on ledger_later_sale for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_later_sale for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on ledger_later_sale to spp_app;
grant delete, insert, select, update on ledger_later_sale to spp_system;

-- table ledger_month, owned by spp_migration
create table ledger_month (
  seller_id id not null,
  currency text collate "C" not null,
  month date not null,
  account text collate "C" not null,
  kind text collate "C" not null,
  type text collate "C" not null,
  amount_minor bigint not null,
  entries integer not null,
  first_sales integer not null,
  constraint ledger_month_pkey PRIMARY KEY (seller_id, currency, month, account, kind, type),
  constraint ledger_month_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
alter table ledger_month alter column seller_id set statistics 0;
alter table ledger_month enable row level security;
alter table ledger_month force row level security;
create policy seller on ledger_month for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on ledger_month for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on ledger_month to spp_app;
grant delete, insert, select, update on ledger_month to spp_system;

-- table marketplace_event, owned by spp_migration
create table marketplace_event (
  source text not null,
  event_id text not null,
  type text not null,
  subject text,
  seller_id id,
  digest bytea not null,
  status text not null,
  occurred_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint marketplace_event_pkey PRIMARY KEY (source, event_id),
  constraint marketplace_event_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'stale'::text])))
);
grant insert, select on marketplace_event to spp_system;

-- table notification, owned by spp_migration
create table notification (
  seller_id id not null,
  notification_id id not null,
  sequence bigint not null,
  event_id id not null,
  type text not null,
  severity text not null,
  title text not null,
  object_id id not null,
  times integer default 1 not null,
  occurred_at timestamp with time zone not null,
  acknowledged_at timestamp with time zone,
  acknowledged_by id,
  expires_at timestamp with time zone not null,
  constraint notification_pkey PRIMARY KEY (seller_id, notification_id),
  constraint notification_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text])))
);
CREATE INDEX notification_expiry ON public.notification USING btree (expires_at);
CREATE UNIQUE INDEX notification_open ON public.notification USING btree (seller_id, type, object_id) WHERE (acknowledged_at IS NULL);
CREATE UNIQUE INDEX notification_sequence ON public.notification USING btree (seller_id, sequence);
alter table notification enable row level security;
alter table notification force row level security;
create policy seller on notification for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on notification for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on notification to spp_app;
grant delete, insert, select, update on notification to spp_system;

-- table notification_preference, owned by spp_migration
create table notification_preference (
  seller_id id not null,
  type text not null,
  updated_at timestamp with time zone not null,
  constraint notification_preference_pkey PRIMARY KEY (seller_id, type)
);
alter table notification_preference enable row level security;
alter table notification_preference force row level security;
create policy seller on notification_preference for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on notification_preference for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on notification_preference to spp_app;
grant delete, insert, select, update on notification_preference to spp_system;

-- table order_cancel_request, owned by spp_migration
create table order_cancel_request (
  seller_id id not null,
  request_id id not null,
  external_request_id text collate "C" not null,
  order_id id not null,
  status text not null,
  lines json not null,
  reason text,
  respond_by timestamp with time zone not null,
  requested_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  automatic boolean not null,
  constraint order_cancel_request_pkey PRIMARY KEY (seller_id, order_id, request_id),
  constraint order_cancel_request_status_check CHECK ((status = ANY (ARRAY['open'::text, 'accepted'::text, 'denied'::text, 'void'::text])))
);
alter table order_cancel_request alter column seller_id set statistics 0;
CREATE UNIQUE INDEX order_cancel_request_external ON public.order_cancel_request USING btree (seller_id, order_id, external_request_id);
CREATE INDEX order_cancel_request_open ON public.order_cancel_request USING btree (seller_id, respond_by) WHERE (status = 'open'::text);
alter table order_cancel_request enable row level security;
alter table order_cancel_request force row level security;
create policy seller on order_cancel_request for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_cancel_request for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_cancel_request to spp_app;
grant delete, insert, select, update on order_cancel_request to spp_system;

-- table order_dispute, owned by spp_migration
create table order_dispute (
  seller_id id not null,
  dispute_id id not null,
  external_dispute_id text collate "C" not null,
  order_id id not null,
  status text not null,
  amount_minor bigint not null,
  provider_fee_minor bigint not null,
  returned_fee_minor bigint,
  respond_by timestamp with time zone,
  opened_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  decided_version text collate "C",
  version integer not null,
  constraint order_dispute_pkey PRIMARY KEY (seller_id, order_id, dispute_id),
  constraint order_dispute_amount_minor_check CHECK ((amount_minor > 0)),
  constraint order_dispute_provider_fee_minor_check CHECK ((provider_fee_minor >= 0)),
  constraint order_dispute_returned_fee_minor_check CHECK ((returned_fee_minor >= 0)),
  constraint order_dispute_status_check CHECK ((status = ANY (ARRAY['open'::text, 'lost'::text, 'won'::text])))
);
alter table order_dispute alter column seller_id set statistics 0;
CREATE UNIQUE INDEX order_dispute_external ON public.order_dispute USING btree (seller_id, order_id, external_dispute_id);
alter table order_dispute enable row level security;
alter table order_dispute force row level security;
create policy seller on order_dispute for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_dispute for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_dispute to spp_app;
grant delete, insert, select, update on order_dispute to spp_system;

-- table order_event, owned by spp_migration
create table order_event (
  seller_id id not null,
  order_id id not null,
  entry bigint generated always as identity not null,
  version integer not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  reason text,
  detail text,
  request_id text,
  idempotency_key text,
  facts json,
  changes json not null,
  occurred_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint order_event_pkey PRIMARY KEY (seller_id, order_id, entry),
  constraint order_event_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['member'::text, 'marketplace'::text, 'buyer'::text, 'system'::text])))
);
alter table order_event alter column seller_id set statistics 0;
alter table order_event enable row level security;
alter table order_event force row level security;
create policy seller on order_event for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_event for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_event to spp_app;
grant delete, insert, select, update on order_event to spp_system;

-- table order_label, owned by spp_migration
create table order_label (
  seller_id id not null,
  label_id id not null,
  shipment_id id not null,
  status text not null,
  carrier text not null,
  service text not null,
  tracking_number text collate "C" not null,
  price_minor bigint not null,
  quote_id id,
  option_id text,
  content json not null,
  created_at timestamp with time zone not null,
  voided_at timestamp with time zone,
  constraint order_label_pkey PRIMARY KEY (seller_id, label_id),
  constraint order_label_price_minor_check CHECK ((price_minor >= 0)),
  constraint order_label_status_check CHECK ((status = ANY (ARRAY['purchased'::text, 'voided'::text])))
);
alter table order_label alter column seller_id set statistics 0;
CREATE INDEX order_label_shipment ON public.order_label USING btree (seller_id, shipment_id);
alter table order_label enable row level security;
alter table order_label force row level security;
create policy seller on order_label for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_label for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_label to spp_app;
grant delete, insert, select, update on order_label to spp_system;

-- table order_label_purchase, owned by spp_migration
create table order_label_purchase (
  seller_id id not null,
  label_id id not null,
  order_id id not null,
  shipment_id id not null,
  status text not null,
  carrier text not null,
  service text not null,
  quote_id id,
  option_id text,
  price_minor bigint,
  content json not null,
  author json not null,
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint order_label_purchase_pkey PRIMARY KEY (seller_id, label_id),
  constraint order_label_purchase_price_minor_check CHECK ((price_minor >= 0)),
  constraint order_label_purchase_status_check CHECK ((status = ANY (ARRAY['open'::text, 'failed'::text, 'dropped'::text, 'ended'::text])))
);
CREATE UNIQUE INDEX order_label_purchase_pending ON public.order_label_purchase USING btree (seller_id, shipment_id) WHERE (status = ANY (ARRAY['open'::text, 'failed'::text]));
alter table order_label_purchase enable row level security;
alter table order_label_purchase force row level security;
create policy seller on order_label_purchase for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_label_purchase for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_label_purchase to spp_app;
grant delete, insert, select, update on order_label_purchase to spp_system;

-- table order_line, owned by spp_migration
create table order_line (
  seller_id id not null,
  order_line_id id not null,
  order_id id not null,
  line_no integer not null,
  kind text not null,
  product_id id,
  seller_sku text collate "C",
  title text,
  category text,
  status text not null,
  unit_price_minor bigint not null,
  gross_minor bigint not null,
  discount_minor bigint not null,
  net_minor bigint not null,
  platform_fee_bps integer,
  ordered integer not null,
  awaiting integer not null,
  accepted_open integer not null,
  rejected integer not null,
  cancelled integer not null,
  in_transit integer not null,
  delivered integer not null,
  lost integer not null,
  returned integer not null,
  shipped integer generated always as (((in_transit + delivered) + lost)) stored,
  reserved integer not null,
  constraint order_line_pkey PRIMARY KEY (seller_id, order_line_id),
  constraint order_line_seller_id_order_id_line_no_key UNIQUE (seller_id, order_id, line_no),
  constraint every_unit_is_somewhere CHECK ((ordered = ((((((awaiting + accepted_open) + rejected) + cancelled) + in_transit) + delivered) + lost))),
  constraint only_open_units_hold_stock CHECK ((reserved <= (awaiting + accepted_open))),
  constraint only_what_came_comes_back CHECK ((returned <= delivered)),
  constraint order_line_accepted_open_check CHECK ((accepted_open >= 0)),
  constraint order_line_awaiting_check CHECK ((awaiting >= 0)),
  constraint order_line_cancelled_check CHECK ((cancelled >= 0)),
  constraint order_line_check CHECK (((discount_minor >= 0) AND (discount_minor <= gross_minor))),
  constraint order_line_check1 CHECK ((net_minor = (gross_minor - discount_minor))),
  constraint order_line_delivered_check CHECK ((delivered >= 0)),
  constraint order_line_gross_minor_check CHECK ((gross_minor >= 0)),
  constraint order_line_in_transit_check CHECK ((in_transit >= 0)),
  constraint order_line_kind_check CHECK ((kind = ANY (ARRAY['item'::text, 'shipping'::text]))),
  constraint order_line_lost_check CHECK ((lost >= 0)),
  constraint order_line_ordered_check CHECK ((ordered >= 0)),
  constraint order_line_rejected_check CHECK ((rejected >= 0)),
  constraint order_line_reserved_check CHECK ((reserved >= 0)),
  constraint order_line_returned_check CHECK ((returned >= 0)),
  constraint order_line_unit_price_minor_check CHECK ((unit_price_minor >= 0))
);
alter table order_line alter column seller_id set statistics 0;
CREATE INDEX order_line_short ON public.order_line USING btree (seller_id, product_id) WHERE ((reserved < (awaiting + accepted_open)) AND (product_id IS NOT NULL));
CREATE INDEX order_line_sku ON public.order_line USING btree (seller_id, seller_sku, order_id);
CREATE INDEX order_line_status ON public.order_line USING btree (seller_id, status, order_id);
alter table order_line enable row level security;
alter table order_line force row level security;
create policy seller on order_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_line for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_line to spp_app;
grant delete, insert, select, update on order_line to spp_system;

-- table order_package_number, owned by spp_migration
create table order_package_number (
  seller_id id not null,
  tracking_number text collate "C" not null,
  label_id id not null,
  shipment_id id not null,
  constraint order_package_number_pkey PRIMARY KEY (seller_id, tracking_number, label_id)
);
alter table order_package_number enable row level security;
alter table order_package_number force row level security;
create policy seller on order_package_number for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_package_number for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_package_number to spp_app;
grant delete, insert, select, update on order_package_number to spp_system;

-- table order_refund, owned by spp_migration
create table order_refund (
  seller_id id not null,
  refund_id id not null,
  external_refund_id text collate "C",
  order_id id not null,
  status text not null,
  requested_by text not null,
  amount_minor bigint not null,
  reason text,
  provider_transaction_id text,
  failure_code text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  settled_version text collate "C",
  version integer not null,
  made_at timestamp with time zone,
  constraint order_refund_pkey PRIMARY KEY (seller_id, order_id, refund_id),
  constraint order_refund_amount_minor_check CHECK (((amount_minor > 0) OR ((amount_minor = 0) AND (made_at IS NULL) AND (status = 'failed'::text)))),
  constraint order_refund_requested_by_check CHECK ((requested_by = ANY (ARRAY['seller'::text, 'marketplace'::text]))),
  constraint order_refund_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
);
alter table order_refund alter column seller_id set statistics 0;
CREATE UNIQUE INDEX order_refund_external ON public.order_refund USING btree (seller_id, order_id, external_refund_id);
CREATE INDEX order_refund_provider ON public.order_refund USING btree (provider_transaction_id) WHERE (provider_transaction_id IS NOT NULL);
alter table order_refund enable row level security;
alter table order_refund force row level security;
create policy seller on order_refund for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_refund for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_refund to spp_app;
grant delete, insert, select, update on order_refund to spp_system;

-- table order_refund_line, owned by spp_migration
create table order_refund_line (
  seller_id id not null,
  order_id id not null,
  refund_id id not null,
  order_line_id id not null,
  quantity integer not null,
  amount_minor bigint not null,
  constraint order_refund_line_pkey PRIMARY KEY (seller_id, order_id, refund_id, order_line_id),
  constraint order_refund_line_amount_minor_check CHECK ((amount_minor > 0)),
  constraint order_refund_line_quantity_check CHECK ((quantity >= 0))
);
alter table order_refund_line alter column seller_id set statistics 0;
alter table order_refund_line enable row level security;
alter table order_refund_line force row level security;
create policy seller on order_refund_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_refund_line for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_refund_line to spp_app;
grant delete, insert, select, update on order_refund_line to spp_system;

-- table order_return, owned by spp_migration
create table order_return (
  seller_id id not null,
  return_id id not null,
  external_return_id text collate "C" not null,
  order_id id not null,
  status text not null,
  respond_by timestamp with time zone,
  requested_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  received_at timestamp with time zone,
  inspected_at timestamp with time zone,
  closed_at timestamp with time zone,
  reason text,
  detail text,
  version integer not null,
  constraint order_return_pkey PRIMARY KEY (seller_id, order_id, return_id),
  constraint order_return_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'accepted'::text, 'refused'::text, 'received'::text, 'inspected'::text, 'closed'::text])))
);
alter table order_return alter column seller_id set statistics 0;
CREATE UNIQUE INDEX order_return_external ON public.order_return USING btree (seller_id, order_id, external_return_id);
CREATE INDEX order_return_requested ON public.order_return USING btree (seller_id, respond_by) WHERE (status = 'requested'::text);
alter table order_return enable row level security;
alter table order_return force row level security;
create policy seller on order_return for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_return for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_return to spp_app;
grant delete, insert, select, update on order_return to spp_system;

-- table order_return_line, owned by spp_migration
create table order_return_line (
  seller_id id not null,
  order_id id not null,
  return_id id not null,
  order_line_id id not null,
  quantity integer not null,
  reason text,
  received integer,
  compliant boolean,
  restocked integer default 0 not null,
  note text,
  constraint order_return_line_pkey PRIMARY KEY (seller_id, order_id, return_id, order_line_id),
  constraint order_return_line_check CHECK (((received >= 0) AND (received <= quantity))),
  constraint order_return_line_check1 CHECK (((restocked >= 0) AND (restocked <= quantity))),
  constraint order_return_line_quantity_check CHECK ((quantity > 0))
);
alter table order_return_line alter column seller_id set statistics 0;
alter table order_return_line enable row level security;
alter table order_return_line force row level security;
create policy seller on order_return_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_return_line for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_return_line to spp_app;
grant delete, insert, select, update on order_return_line to spp_system;

-- table order_shipment, owned by spp_migration
create table order_shipment (
  seller_id id not null,
  shipment_id id not null,
  order_id id not null,
  status text not null,
  origin text not null,
  packages json not null,
  carrier text,
  service text,
  tracking_number text collate "C",
  tracking_url text,
  label_id id,
  dispatched_at timestamp with time zone,
  delivered_at timestamp with time zone,
  tracked_at timestamp with time zone,
  tracked_version text collate "C",
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint order_shipment_pkey PRIMARY KEY (seller_id, shipment_id),
  constraint order_shipment_origin_check CHECK ((origin = ANY (ARRAY['seller'::text, 'marketplace'::text]))),
  constraint order_shipment_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'dispatched'::text, 'in_transit'::text, 'out_for_delivery'::text, 'failed'::text, 'returned_to_sender'::text, 'delivered'::text, 'lost'::text, 'cancelled'::text])))
);
alter table order_shipment alter column seller_id set statistics 0;
CREATE INDEX order_shipment_dispatched ON public.order_shipment USING btree (seller_id, dispatched_at) WHERE (dispatched_at IS NOT NULL);
CREATE INDEX order_shipment_order ON public.order_shipment USING btree (seller_id, order_id);
CREATE INDEX order_shipment_tracking ON public.order_shipment USING btree (seller_id, tracking_number) WHERE (tracking_number IS NOT NULL);
alter table order_shipment enable row level security;
alter table order_shipment force row level security;
create policy seller on order_shipment for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_shipment for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_shipment to spp_app;
grant delete, insert, select, update on order_shipment to spp_system;

-- table order_shipment_line, owned by spp_migration
create table order_shipment_line (
  seller_id id not null,
  shipment_id id not null,
  order_line_id id not null,
  quantity integer not null,
  held integer default 0 not null,
  constraint order_shipment_line_pkey PRIMARY KEY (seller_id, shipment_id, order_line_id),
  constraint order_shipment_line_check CHECK (((held >= 0) AND (held <= quantity))),
  constraint order_shipment_line_quantity_check CHECK ((quantity >= 0))
);
alter table order_shipment_line alter column seller_id set statistics 0;
alter table order_shipment_line enable row level security;
alter table order_shipment_line force row level security;
create policy seller on order_shipment_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_shipment_line for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_shipment_line to spp_app;
grant delete, insert, select, update on order_shipment_line to spp_system;

-- table order_terms, owned by spp_migration
create table order_terms (
  seller_id id not null,
  order_id id not null,
  fee_schedule_version text not null,
  loyalty_program_fund_bps integer not null,
  seller_order_fee_minor bigint not null,
  line_rates json not null,
  frozen_at timestamp with time zone not null,
  hold_days integer,
  available_on date,
  constraint order_terms_pkey PRIMARY KEY (seller_id, order_id)
);
alter table order_terms alter column seller_id set statistics 0;
alter table order_terms enable row level security;
alter table order_terms force row level security;
create policy seller on order_terms for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_terms for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_terms to spp_app;
grant delete, insert, select, update on order_terms to spp_system;

-- table order_tracking, owned by spp_migration
create table order_tracking (
  seller_id id not null,
  shipment_id id not null,
  position integer not null,
  status text not null,
  at timestamp with time zone not null,
  location text,
  detail text,
  recorded_at timestamp with time zone not null,
  constraint order_tracking_pkey PRIMARY KEY (seller_id, shipment_id, "position")
);
alter table order_tracking alter column seller_id set statistics 0;
alter table order_tracking enable row level security;
alter table order_tracking force row level security;
create policy seller on order_tracking for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on order_tracking for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on order_tracking to spp_app;
grant delete, insert, select, update on order_tracking to spp_system;

-- table outbox, owned by spp_migration
create table outbox (
  seller_id id not null,
  outbox_id bigint generated always as identity not null,
  event_id id not null,
  type text not null,
  object_id id not null,
  object_version integer not null,
  data json,
  correlation json,
  created_at timestamp with time zone not null,
  sequence bigint,
  position bigint,
  constraint outbox_pkey PRIMARY KEY (seller_id, outbox_id)
);
CREATE INDEX outbox_age ON public.outbox USING btree (created_at) WHERE (sequence IS NOT NULL);
CREATE INDEX outbox_object ON public.outbox USING btree (seller_id, object_id, sequence) WHERE (data IS NOT NULL);
CREATE UNIQUE INDEX outbox_sequence ON public.outbox USING btree (seller_id, sequence) WHERE (sequence > 0);
CREATE INDEX outbox_told ON public.outbox USING btree ("position") WHERE ("position" IS NOT NULL);
CREATE INDEX outbox_unnumbered ON public.outbox USING btree (seller_id, outbox_id) WHERE (sequence IS NULL);
alter table outbox enable row level security;
alter table outbox force row level security;
create policy seller on outbox for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on outbox for all to spp_system
  using (true)
  with check (true);
grant usage on sequence outbox_outbox_id_seq to spp_app;
grant usage on sequence outbox_outbox_id_seq to spp_system;
grant delete, insert, select, update on outbox to spp_app;
grant delete, insert, select, update on outbox to spp_system;

-- table outbox_bulk, owned by spp_migration
create table outbox_bulk (
  seller_id id not null,
  outbox_id bigint default nextval('outbox_outbox_id_seq'::regclass) not null,
  kind text not null,
  event_ids text[] not null,
  types text[] not null,
  object_ids text[] not null,
  object_versions integer[] not null,
  correlation json,
  created_at timestamp with time zone not null,
  constraint outbox_bulk_pkey PRIMARY KEY (seller_id, outbox_id)
);
alter table outbox_bulk alter column event_ids set storage external;
alter table outbox_bulk alter column types set storage external;
alter table outbox_bulk alter column object_ids set storage external;
alter table outbox_bulk enable row level security;
alter table outbox_bulk force row level security;
create policy seller on outbox_bulk for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on outbox_bulk for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on outbox_bulk to spp_app;
grant delete, insert, select, update on outbox_bulk to spp_system;

-- table outbox_head, owned by spp_migration
create table outbox_head (
  one boolean default true not null,
  last bigint not null,
  round bigint default 0 not null,
  constraint outbox_head_pkey PRIMARY KEY (one),
  constraint outbox_head_one_check CHECK (one)
);
grant select, update on outbox_head to spp_system;

-- table payout, owned by spp_migration
create table payout (
  seller_id id not null,
  payout_id id not null,
  settlement_id id not null,
  attempt integer not null,
  retry_of id,
  amount_minor bigint not null,
  currency text not null,
  status text not null,
  provider text not null,
  provider_payout_id text collate "C",
  provider_transfer_id text collate "C",
  method text not null,
  destination json,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  expected_arrival_on date,
  paid_at timestamp with time zone,
  returned_at timestamp with time zone,
  failure_code text,
  failure_message text,
  payment_reference text,
  bank_reference text,
  bank_reference_status text not null,
  version integer not null,
  updated_at timestamp with time zone not null,
  constraint payout_pkey PRIMARY KEY (seller_id, payout_id),
  constraint payout_seller_id_settlement_id_attempt_key UNIQUE (seller_id, settlement_id, attempt),
  constraint payout_amount_minor_check CHECK ((amount_minor > 0)),
  constraint payout_attempt_check CHECK ((attempt > 0)),
  constraint payout_bank_reference_status_check CHECK ((bank_reference_status = ANY (ARRAY['pending'::text, 'supported'::text, 'unsupported'::text]))),
  constraint payout_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_transit'::text, 'paid'::text, 'failed'::text, 'canceled'::text, 'returned'::text])))
);
alter table payout alter column seller_id set statistics 0;
CREATE UNIQUE INDEX payout_live ON public.payout USING btree (seller_id, settlement_id) WHERE (status = ANY (ARRAY['pending'::text, 'in_transit'::text, 'paid'::text]));
CREATE INDEX payout_newest ON public.payout USING btree (seller_id, created_at, payout_id);
CREATE UNIQUE INDEX payout_provider ON public.payout USING btree (seller_id, provider, provider_payout_id) WHERE (provider_payout_id IS NOT NULL);
CREATE INDEX payout_provider_name ON public.payout USING btree (provider_payout_id) WHERE (provider_payout_id IS NOT NULL);
CREATE INDEX payout_provider_transfer ON public.payout USING btree (provider_transfer_id) WHERE (provider_transfer_id IS NOT NULL);
alter table payout enable row level security;
alter table payout force row level security;
create policy seller on payout for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on payout for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on payout to spp_app;
grant delete, insert, select, update on payout to spp_system;

-- table payout_change, owned by spp_migration
create table payout_change (
  seller_id id not null,
  payout_id id not null,
  number integer not null,
  status text not null,
  at timestamp with time zone not null,
  actor text not null,
  reason text,
  source_event_id text,
  constraint payout_change_pkey PRIMARY KEY (seller_id, payout_id, number)
);
alter table payout_change enable row level security;
alter table payout_change force row level security;
create policy seller on payout_change for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on payout_change for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on payout_change to spp_app;
grant delete, insert, select, update on payout_change to spp_system;

-- table product, owned by spp_migration
create table product (
  seller_id id not null,
  product_id id not null,
  seller_sku text collate "C",
  title text,
  description text,
  brand text,
  category text,
  condition text,
  external_key text collate "C",
  external_profile text,
  identity_strategy text,
  gtin14 text collate "C",
  value_entered text,
  scheme text,
  mpn text,
  mpn_folded text collate "C",
  brand_folded text collate "C",
  exempt_reason text,
  exempt_source text,
  product_ref id,
  price_minor bigint,
  compare_at_minor bigint,
  currency text not null,
  status text not null,
  images jsonb default '[]'::jsonb not null,
  attributes jsonb default '{}'::jsonb not null,
  variation jsonb,
  curation_state text not null,
  curation_reasons jsonb default '[]'::jsonb not null,
  approved jsonb,
  issues jsonb default '[]'::jsonb not null,
  source_origin text not null,
  source_run_id id,
  source_row integer,
  search_text text collate "C" not null,
  curated_at timestamp with time zone,
  curated_version bigint,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint product_pkey PRIMARY KEY (seller_id, product_id),
  constraint product_check CHECK (((seller_sku IS NOT NULL) OR (status = ANY (ARRAY['draft'::text, 'archived'::text])))),
  constraint product_compare_at_minor_check CHECK ((compare_at_minor >= 0)),
  constraint product_curation_state_check CHECK ((curation_state = ANY (ARRAY['not_submitted'::text, 'pending'::text, 'approved'::text, 'rejected'::text, 'suspended'::text]))),
  constraint product_identity_strategy_check CHECK ((identity_strategy = ANY (ARRAY['product_id'::text, 'global_id'::text, 'mpn_brand'::text, 'exempt'::text]))),
  constraint product_price_minor_check CHECK ((price_minor > 0)),
  constraint product_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'inactive'::text, 'archived'::text])))
);
alter table product alter column seller_id set statistics 0;
CREATE INDEX product_changed ON public.product USING btree (seller_id, updated_at, product_id);
CREATE UNIQUE INDEX product_external_key ON public.product USING btree (seller_id, external_profile, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX product_gtin ON public.product USING btree (seller_id, gtin14) WHERE (gtin14 IS NOT NULL);
CREATE UNIQUE INDEX product_mpn_brand ON public.product USING btree (seller_id, brand_folded, mpn_folded) WHERE ((identity_strategy = 'mpn_brand'::text) AND (status <> 'archived'::text));
CREATE UNIQUE INDEX product_sku ON public.product USING btree (seller_id, seller_sku);
alter table product enable row level security;
alter table product force row level security;
create policy seller on product for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on product for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER product_count_delete AFTER DELETE ON public.product REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION uncount_products();
CREATE TRIGGER product_count_insert AFTER INSERT ON public.product REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION count_new_products();
CREATE TRIGGER product_count_update AFTER UPDATE ON public.product REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION count_products();
grant delete, insert, select, update on product to spp_app;
grant delete, insert, select, update on product to spp_system;

-- table product_change, owned by spp_migration
create table product_change (
  seller_id id not null,
  product_id id not null,
  version integer not null,
  entry bigint generated always as identity not null,
  actor_kind text not null,
  actor_id text,
  action text not null,
  request_id text,
  changes json not null,
  changed_at timestamp with time zone not null,
  constraint product_change_pkey PRIMARY KEY (seller_id, product_id, entry),
  constraint product_change_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['member'::text, 'marketplace'::text, 'system'::text])))
);
alter table product_change enable row level security;
alter table product_change force row level security;
create policy seller on product_change for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on product_change for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on product_change to spp_app;
grant delete, insert, select, update on product_change to spp_system;

-- table product_count_change, owned by spp_migration
create table product_count_change (
  seller_id id not null,
  change_id bigint generated always as identity not null,
  delta integer not null,
  constraint product_count_change_pkey PRIMARY KEY (seller_id, change_id)
);
alter table product_count_change enable row level security;
alter table product_count_change force row level security;
create policy seller on product_count_change for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on product_count_change for all to spp_system
  using (true)
  with check (true);
CREATE CONSTRAINT TRIGGER product_count_settled AFTER INSERT ON public.product_count_change DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION settle_product_count_at_commit();
grant delete, insert, select, update on product_count_change to spp_app;
grant delete, insert, select, update on product_count_change to spp_system;

-- table provider_match, owned by spp_migration
create table provider_match (
  seller_id id not null,
  provider text not null,
  provider_transaction_id text collate "C" not null,
  journal_id id not null,
  reason_codes text[] default '{}'::text[] not null,
  matched_at timestamp with time zone not null,
  constraint provider_match_pkey PRIMARY KEY (seller_id, provider, provider_transaction_id, journal_id)
);
CREATE INDEX provider_match_journal ON public.provider_match USING btree (seller_id, journal_id);
CREATE INDEX provider_match_transaction ON public.provider_match USING btree (provider, provider_transaction_id);
alter table provider_match enable row level security;
alter table provider_match force row level security;
create policy seller on provider_match for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on provider_match for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on provider_match to spp_app;
grant delete, insert, select, update on provider_match to spp_system;

-- table provider_progress, owned by spp_migration
create table provider_progress (
  provider text not null,
  data_through timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint provider_progress_pkey PRIMARY KEY (provider)
);
alter table provider_progress enable row level security;
alter table provider_progress force row level security;
create policy everybody on provider_progress for select to spp_app
  using (true);
create policy system on provider_progress for all to spp_system
  using (true)
  with check (true);
grant select on provider_progress to spp_app;
grant insert, select, update on provider_progress to spp_system;

-- table provider_transaction, owned by spp_migration
create table provider_transaction (
  provider text not null,
  provider_transaction_id text collate "C" not null,
  type text not null,
  amount_minor bigint not null,
  fee_minor bigint not null,
  net_minor bigint not null,
  currency text not null,
  source_id text collate "C",
  seller_id id,
  available_on date,
  created_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint provider_transaction_pkey PRIMARY KEY (provider, provider_transaction_id)
);
CREATE INDEX provider_transaction_seller ON public.provider_transaction USING btree (seller_id, created_at);
CREATE INDEX provider_transaction_source ON public.provider_transaction USING btree (source_id);
grant insert, select, update on provider_transaction to spp_system;

-- table rate_window, owned by spp_migration
create unlogged table rate_window (
  key text not null,
  window_start bigint not null,
  leased integer not null,
  expires_at timestamp with time zone not null,
  constraint rate_window_pkey PRIMARY KEY (key, window_start)
);
CREATE INDEX rate_window_expiry ON public.rate_window USING btree (expires_at);
grant delete, insert, select, update on rate_window to spp_system;

-- table reconciliation, owned by spp_migration
create table reconciliation (
  seller_id id not null,
  scope text not null,
  subject_id id not null,
  currency text collate "C" not null,
  provider text not null,
  expected_minor bigint not null,
  reported_minor bigint not null,
  unmatched_count integer not null,
  reason_codes text[] not null,
  data_through timestamp with time zone not null,
  checked_at timestamp with time zone not null,
  awaited_codes text[] default '{}'::text[] not null,
  constraint reconciliation_pkey PRIMARY KEY (seller_id, scope, subject_id, currency, provider),
  constraint reconciliation_scope_check CHECK ((scope = ANY (ARRAY['account'::text, 'payout'::text]))),
  constraint reconciliation_unmatched_count_check CHECK ((unmatched_count >= 0))
);
alter table reconciliation enable row level security;
alter table reconciliation force row level security;
create policy seller on reconciliation for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on reconciliation for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on reconciliation to spp_app;
grant delete, insert, select, update on reconciliation to spp_system;

-- table reserve, owned by spp_migration
create table reserve (
  seller_id id not null,
  reserve_id text collate "C" not null,
  amount_minor bigint not null,
  released_minor bigint not null,
  currency text not null,
  reason_code text not null,
  release_on date,
  held_at timestamp with time zone not null,
  constraint reserve_pkey PRIMARY KEY (seller_id, reserve_id),
  constraint reserve_amount_minor_check CHECK ((amount_minor > 0)),
  constraint reserve_check CHECK (((released_minor >= 0) AND (released_minor <= amount_minor)))
);
CREATE INDEX reserve_due ON public.reserve USING btree (release_on) WHERE (released_minor < amount_minor);
alter table reserve enable row level security;
alter table reserve force row level security;
create policy seller on reserve for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on reserve for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on reserve to spp_app;
grant delete, insert, select, update on reserve to spp_system;

-- table sales_order, owned by spp_migration
create table sales_order (
  seller_id id not null,
  order_id id not null,
  external_order_id text collate "C",
  order_number text collate "C" not null,
  status text not null,
  payment_status text not null,
  refund_status text not null,
  attention text[] default '{}'::text[] not null,
  currency text not null,
  loyalty boolean not null,
  items_minor bigint not null,
  shipping_minor bigint not null,
  seller_discount_minor bigint not null,
  total_minor bigint not null,
  buyer_alias text,
  customer_ref text,
  ship_to json not null,
  awaiting integer not null,
  accepted_open integer not null,
  placed_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  accept_by timestamp with time zone not null,
  acceptance_warned_at timestamp with time zone,
  accepted_at timestamp with time zone,
  expired_at timestamp with time zone,
  dispatch_by timestamp with time zone,
  late_at timestamp with time zone,
  respond_by timestamp with time zone,
  delivered_at timestamp with time zone,
  closes_at timestamp with time zone,
  closed_at timestamp with time zone,
  next_due_at timestamp with time zone,
  captured_minor bigint,
  captured_at timestamp with time zone,
  charge_id text,
  provider_fee_minor bigint,
  provider_transaction_id text,
  charge_total_minor bigint,
  charge_provider_fee_minor bigint,
  share_of json,
  placed_facts json not null,
  search_text text collate "C" not null,
  version integer not null,
  updated_at timestamp with time zone not null,
  constraint sales_order_pkey PRIMARY KEY (seller_id, order_id),
  constraint sales_order_accepted_open_check CHECK ((accepted_open >= 0)),
  constraint sales_order_awaiting_check CHECK ((awaiting >= 0)),
  constraint sales_order_captured_minor_check CHECK ((captured_minor >= 0)),
  constraint sales_order_check CHECK ((total_minor = ((items_minor + shipping_minor) - seller_discount_minor))),
  constraint sales_order_items_minor_check CHECK ((items_minor >= 0)),
  constraint sales_order_payment_status_check CHECK ((payment_status = ANY (ARRAY['pending'::text, 'captured'::text]))),
  constraint sales_order_refund_status_check CHECK ((refund_status = ANY (ARRAY['none'::text, 'requested'::text, 'partially_refunded'::text, 'refunded'::text]))),
  constraint sales_order_seller_discount_minor_check CHECK ((seller_discount_minor >= 0)),
  constraint sales_order_shipping_minor_check CHECK ((shipping_minor >= 0)),
  constraint sales_order_status_check CHECK ((status = ANY (ARRAY['awaiting_acceptance'::text, 'accepted'::text, 'partially_shipped'::text, 'shipped'::text, 'delivered'::text, 'closed'::text, 'rejected'::text, 'cancelled'::text])))
);
alter table sales_order alter column seller_id set statistics 0;
CREATE INDEX sales_order_attention ON public.sales_order USING btree (seller_id, recorded_at, order_id) WHERE (attention <> '{}'::text[]);
CREATE INDEX sales_order_changed ON public.sales_order USING btree (seller_id, updated_at, order_id);
CREATE INDEX sales_order_charge ON public.sales_order USING btree (charge_id) WHERE (charge_id IS NOT NULL);
CREATE UNIQUE INDEX sales_order_external ON public.sales_order USING btree (seller_id, external_order_id);
CREATE INDEX sales_order_newest ON public.sales_order USING btree (seller_id, recorded_at, order_id);
CREATE INDEX sales_order_number ON public.sales_order USING btree (seller_id, order_number);
CREATE INDEX sales_order_status ON public.sales_order USING btree (seller_id, status, recorded_at, order_id);
CREATE INDEX sales_order_to_accept ON public.sales_order USING btree (seller_id, accept_by) WHERE (awaiting > 0);
CREATE INDEX sales_order_to_dispatch ON public.sales_order USING btree (seller_id, dispatch_by) WHERE (accepted_open > 0);
CREATE INDEX sales_order_without_fee ON public.sales_order USING btree (seller_id, order_id) WHERE ((provider_fee_minor IS NULL) AND (charge_provider_fee_minor IS NULL));
alter table sales_order enable row level security;
alter table sales_order force row level security;
create policy seller on sales_order for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on sales_order for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on sales_order to spp_app;
grant delete, insert, select, update on sales_order to spp_system;

-- table schema_migration, owned by spp_migration
create table schema_migration (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);
grant select on schema_migration to spp_system;

-- table seller, owned by spp_migration
create table seller (
  seller_id id not null,
  business_name text not null,
  tax_id text not null,
  tax_id_check text not null,
  status text not null,
  verified boolean not null,
  api_access boolean not null,
  plan text not null,
  account_flags text[] default '{}'::text[] not null,
  currency text default 'AUD'::text not null,
  hold_days integer,
  min_payout_minor bigint,
  profile jsonb default '{}'::jsonb not null,
  settings jsonb default '{}'::jsonb not null,
  business jsonb default '{}'::jsonb not null,
  holiday jsonb,
  standing_at timestamp with time zone,
  standing_version bigint,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint seller_pkey PRIMARY KEY (seller_id),
  constraint seller_plan_check CHECK ((plan = ANY (ARRAY['Free'::text, 'Small'::text, 'Big'::text]))),
  constraint seller_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'closed'::text]))),
  constraint seller_tax_id_check_check CHECK ((tax_id_check = ANY (ARRAY['abn_valid'::text, 'abn_invalid'::text, 'not_abn'::text])))
);
alter table seller enable row level security;
alter table seller force row level security;
create policy seller on seller for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on seller for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on seller to spp_app;
grant delete, insert, select, update on seller to spp_system;

-- table seller_identity, owned by spp_migration
create table seller_identity (
  subject text not null,
  seller_id id not null,
  member_id id not null,
  bound_at timestamp with time zone not null,
  constraint seller_identity_pkey PRIMARY KEY (subject)
);
grant delete, insert, select, update on seller_identity to spp_system;

-- table seller_tax_id, owned by spp_migration
create table seller_tax_id (
  tax_id text not null,
  seller_id id not null,
  constraint seller_tax_id_pkey PRIMARY KEY (tax_id)
);
grant insert, select on seller_tax_id to spp_system;

-- table service_clock, owned by spp_migration
create table service_clock (
  one boolean default true not null,
  now timestamp with time zone not null,
  constraint service_clock_pkey PRIMARY KEY (one),
  constraint service_clock_one_check CHECK (one)
);
grant insert, select, update on service_clock to spp_system;

-- table settlement, owned by spp_migration
create table settlement (
  seller_id id not null,
  settlement_id id not null,
  currency text not null,
  period_start date not null,
  period_end date not null,
  status text not null,
  opening_balance_minor bigint not null,
  gross_amount_minor bigint not null,
  fees_minor bigint not null,
  adjustments_minor bigint not null,
  net_amount_minor bigint not null,
  reserve_change_minor bigint not null,
  payable_amount_minor bigint not null,
  payout_amount_minor bigint not null,
  closing_balance_minor bigint not null,
  by_type json not null,
  order_count integer not null,
  line_count integer not null,
  lines_sha256 text not null,
  calculation_version integer not null,
  ledger_position bigint not null,
  carry_reason text,
  expected_payout_on date,
  paid_on date,
  payment_reference text,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone not null,
  closed_by text not null,
  version integer not null,
  constraint settlement_pkey PRIMARY KEY (seller_id, settlement_id),
  constraint settlement_seller_id_currency_period_start_key UNIQUE (seller_id, currency, period_start),
  constraint adds_up CHECK (((net_amount_minor = ((gross_amount_minor - fees_minor) + adjustments_minor)) AND (payable_amount_minor = ((opening_balance_minor + net_amount_minor) + reserve_change_minor)) AND (payable_amount_minor = (payout_amount_minor + closing_balance_minor)))),
  constraint settlement_carry_reason_check CHECK ((carry_reason = ANY (ARRAY['below_minimum'::text, 'negative'::text]))),
  constraint settlement_payout_amount_minor_check CHECK ((payout_amount_minor >= 0)),
  constraint settlement_status_check CHECK ((status = ANY (ARRAY['ready'::text, 'on_hold'::text, 'carried_forward'::text, 'no_activity'::text, 'processing'::text, 'paid'::text, 'payment_failed'::text])))
);
alter table settlement alter column seller_id set statistics 0;
CREATE INDEX settlement_newest ON public.settlement USING btree (seller_id, period_end, settlement_id);
CREATE INDEX settlement_status ON public.settlement USING btree (seller_id, status, period_end);
alter table settlement enable row level security;
alter table settlement force row level security;
create policy seller on settlement for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on settlement for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER figures_stand BEFORE UPDATE ON public.settlement FOR EACH ROW EXECUTE FUNCTION refuse_change_of_closed_figures();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.settlement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER never_goes BEFORE DELETE OR UPDATE OF seller_id, settlement_id ON public.settlement FOR EACH ROW EXECUTE FUNCTION refuse_change_of_what_is_closed();
grant delete, insert, select, update on settlement to spp_app;
grant delete, insert, select, update on settlement to spp_system;

-- table settlement_change, owned by spp_migration
create table settlement_change (
  seller_id id not null,
  settlement_id id not null,
  number integer not null,
  status text not null,
  at timestamp with time zone not null,
  actor text not null,
  reason text,
  constraint settlement_change_pkey PRIMARY KEY (seller_id, settlement_id, number)
);
alter table settlement_change enable row level security;
alter table settlement_change force row level security;
create policy seller on settlement_change for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on settlement_change for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on settlement_change to spp_app;
grant delete, insert, select, update on settlement_change to spp_system;

-- table settlement_hold, owned by spp_migration
create table settlement_hold (
  seller_id id not null,
  settlement_id id not null,
  reason text not null,
  note text,
  since timestamp with time zone not null,
  active boolean default true not null,
  ordered_at timestamp with time zone,
  ordered_version bigint,
  constraint settlement_hold_pkey PRIMARY KEY (seller_id, settlement_id, reason),
  constraint settlement_hold_reason_check CHECK ((reason = ANY (ARRAY['payout_account_missing'::text, 'payouts_disabled'::text, 'kyc_required'::text, 'risk_review'::text, 'negative_balance'::text, 'provider_balance_mismatch'::text])))
);
alter table settlement_hold enable row level security;
alter table settlement_hold force row level security;
create policy seller on settlement_hold for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on settlement_hold for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on settlement_hold to spp_app;
grant delete, insert, select, update on settlement_hold to spp_system;

-- table settlement_line, owned by spp_migration
create table settlement_line (
  seller_id id not null,
  entry_id id not null,
  settlement_id id not null,
  row_no integer not null,
  seal bytea,
  constraint settlement_line_pkey PRIMARY KEY (seller_id, entry_id),
  constraint settlement_line_seller_id_settlement_id_row_no_key UNIQUE (seller_id, settlement_id, row_no)
);
alter table settlement_line alter column seller_id set statistics 0;
alter table settlement_line enable row level security;
alter table settlement_line force row level security;
create policy seller on settlement_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on settlement_line for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.settlement_line FOR EACH ROW EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.settlement_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_what_is_closed();
CREATE TRIGGER of_its_period AFTER INSERT ON public.settlement_line REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION require_available_lines();
grant delete, insert, select, update on settlement_line to spp_app;
grant delete, insert, select, update on settlement_line to spp_system;

-- table shipping_manifest, owned by spp_migration
create table shipping_manifest (
  seller_id id not null,
  manifest_id id not null,
  carrier text not null,
  dispatched_on date not null,
  number integer not null,
  parcels integer not null,
  weight_g bigint not null,
  created_at timestamp with time zone not null,
  constraint shipping_manifest_pkey PRIMARY KEY (seller_id, manifest_id),
  constraint shipping_manifest_seller_id_dispatched_on_carrier_number_key UNIQUE (seller_id, dispatched_on, carrier, number),
  constraint shipping_manifest_parcels_check CHECK ((parcels > 0))
);
alter table shipping_manifest enable row level security;
alter table shipping_manifest force row level security;
create policy seller on shipping_manifest for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on shipping_manifest for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on shipping_manifest to spp_app;
grant delete, insert, select, update on shipping_manifest to spp_system;

-- table shipping_manifest_line, owned by spp_migration
create table shipping_manifest_line (
  seller_id id not null,
  manifest_id id not null,
  line_no integer not null,
  shipment_id id not null,
  order_id id not null,
  order_number text not null,
  service text not null,
  tracking_number text not null,
  recipient text not null,
  destination text not null,
  packages integer not null,
  weight_g bigint not null,
  package integer default 1 not null,
  constraint shipping_manifest_line_pkey PRIMARY KEY (seller_id, manifest_id, line_no),
  constraint shipping_manifest_line_seller_id_shipment_id_package_manife_key UNIQUE (seller_id, shipment_id, package, manifest_id),
  constraint shipping_manifest_line_check CHECK (((package >= 1) AND (package <= packages)))
);
alter table shipping_manifest_line enable row level security;
alter table shipping_manifest_line force row level security;
create policy seller on shipping_manifest_line for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on shipping_manifest_line for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on shipping_manifest_line to spp_app;
grant delete, insert, select, update on shipping_manifest_line to spp_system;

-- table shipping_profile, owned by spp_migration
create table shipping_profile (
  seller_id id not null,
  profile_id id not null,
  name text not null,
  is_default boolean not null,
  handling_days integer not null,
  cut_off text not null,
  timezone text not null,
  working_days text[] not null,
  zones jsonb not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint shipping_profile_pkey PRIMARY KEY (seller_id, profile_id),
  constraint shipping_profile_handling_days_check CHECK (((handling_days >= 0) AND (handling_days <= 60)))
);
CREATE UNIQUE INDEX shipping_profile_default ON public.shipping_profile USING btree (seller_id) WHERE is_default;
CREATE UNIQUE INDEX shipping_profile_name ON public.shipping_profile USING btree (seller_id, lower(name));
alter table shipping_profile enable row level security;
alter table shipping_profile force row level security;
create policy seller on shipping_profile for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on shipping_profile for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on shipping_profile to spp_app;
grant delete, insert, select, update on shipping_profile to spp_system;

-- table shipping_quote, owned by spp_migration
create table shipping_quote (
  seller_id id not null,
  quote_id id not null,
  request jsonb not null,
  options jsonb not null,
  refused jsonb not null,
  currency text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_option_id text,
  constraint shipping_quote_pkey PRIMARY KEY (seller_id, quote_id)
);
CREATE INDEX shipping_quote_expiry ON public.shipping_quote USING btree (expires_at);
alter table shipping_quote enable row level security;
alter table shipping_quote force row level security;
create policy seller on shipping_quote for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on shipping_quote for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on shipping_quote to spp_app;
grant delete, insert, select, update on shipping_quote to spp_system;

-- table shipping_rule, owned by spp_migration
create table shipping_rule (
  seller_id id not null,
  rule_id id not null,
  name text not null,
  position integer not null,
  enabled boolean not null,
  profile_id id not null,
  skus text[] default '{}'::text[] not null,
  sku_prefixes text[] default '{}'::text[] not null,
  categories text[] default '{}'::text[] not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint shipping_rule_pkey PRIMARY KEY (seller_id, rule_id)
);
CREATE INDEX shipping_rule_profile ON public.shipping_rule USING btree (seller_id, profile_id);
alter table shipping_rule enable row level security;
alter table shipping_rule force row level security;
create policy seller on shipping_rule for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on shipping_rule for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on shipping_rule to spp_app;
grant delete, insert, select, update on shipping_rule to spp_system;

-- table team_member, owned by spp_migration
create table team_member (
  seller_id id not null,
  member_id id not null,
  subject text,
  email text,
  roles text[] not null,
  status text not null,
  invited_by id,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint team_member_pkey PRIMARY KEY (seller_id, member_id),
  constraint team_member_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'removed'::text])))
);
CREATE UNIQUE INDEX team_member_email ON public.team_member USING btree (seller_id, lower(email)) WHERE (status <> 'removed'::text);
CREATE INDEX team_member_invited_email ON public.team_member USING btree (lower(email)) WHERE (status = 'invited'::text);
CREATE INDEX team_member_invited_subject ON public.team_member USING btree (subject) WHERE (status = 'invited'::text);
CREATE UNIQUE INDEX team_member_subject ON public.team_member USING btree (seller_id, subject) WHERE (status <> 'removed'::text);
alter table team_member enable row level security;
alter table team_member force row level security;
create policy seller on team_member for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on team_member for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER team_member_count AFTER INSERT OR UPDATE ON public.team_member FOR EACH ROW EXECUTE FUNCTION count_team_members();
grant delete, insert, select, update on team_member to spp_app;
grant delete, insert, select, update on team_member to spp_system;

-- table usage_counter, owned by spp_migration
create table usage_counter (
  seller_id id not null,
  resource text not null,
  used integer not null,
  constraint usage_counter_pkey PRIMARY KEY (seller_id, resource),
  constraint usage_counter_used_check CHECK ((used >= 0))
);
alter table usage_counter enable row level security;
alter table usage_counter force row level security;
create policy seller on usage_counter for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on usage_counter for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on usage_counter to spp_app;
grant delete, insert, select, update on usage_counter to spp_system;

-- table webhook_attempt, owned by spp_migration
create table webhook_attempt (
  seller_id id not null,
  delivery_id id not null,
  attempt integer not null,
  endpoint_id id not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  status integer,
  error text,
  response_head text,
  test boolean default false not null,
  constraint webhook_attempt_pkey PRIMARY KEY (seller_id, delivery_id, attempt)
);
CREATE INDEX webhook_attempt_recent ON public.webhook_attempt USING btree (seller_id, endpoint_id, at);
alter table webhook_attempt enable row level security;
alter table webhook_attempt force row level security;
create policy seller on webhook_attempt for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on webhook_attempt for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on webhook_attempt to spp_app;
grant delete, insert, select, update on webhook_attempt to spp_system;

-- table webhook_delivery, owned by spp_migration
create table webhook_delivery (
  seller_id id not null,
  delivery_id id not null,
  endpoint_id id not null,
  event_id id not null,
  sequence bigint,
  type text not null,
  object_id id not null,
  status text not null,
  reason text,
  trigger text not null,
  attempts integer default 0 not null,
  step integer default 0 not null,
  next_attempt_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  last_status integer,
  last_error text,
  replay_id id,
  test_event json,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  earlier_replays text[],
  constraint webhook_delivery_pkey PRIMARY KEY (seller_id, delivery_id),
  constraint webhook_delivery_seller_id_endpoint_id_event_id_key UNIQUE (seller_id, endpoint_id, event_id),
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint webhook_delivery_trigger_check CHECK ((trigger = ANY (ARRAY['event'::text, 'test'::text, 'retry'::text, 'replay'::text])))
);
CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING brin (created_at);
CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (endpoint_id, next_attempt_at, sequence) WHERE (status = 'pending'::text);
CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (seller_id, delivery_id) WHERE (status = 'failed'::text);
CREATE INDEX webhook_delivery_given_up ON public.webhook_delivery USING btree (seller_id, endpoint_id, sequence) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX webhook_delivery_replayed ON public.webhook_delivery USING btree (seller_id, replay_id) WHERE (replay_id IS NOT NULL);
CREATE INDEX webhook_delivery_test ON public.webhook_delivery USING btree (endpoint_id) WHERE ((status = 'pending'::text) AND (trigger = 'test'::text));
alter table webhook_delivery enable row level security;
alter table webhook_delivery force row level security;
create policy seller on webhook_delivery for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on webhook_delivery for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on webhook_delivery to spp_app;
grant delete, insert, select, update on webhook_delivery to spp_system;

-- table webhook_endpoint, owned by spp_migration
create table webhook_endpoint (
  seller_id id not null,
  endpoint_id id not null,
  url text not null,
  description text,
  event_types text[] not null,
  payload text not null,
  ordering text not null,
  max_concurrency integer not null,
  status text not null,
  reason text,
  status_changed_at timestamp with time zone not null,
  secret text not null,
  retired_secrets jsonb default '[]'::jsonb not null,
  failing_since timestamp with time zone,
  fanned_through bigint not null,
  passed_over text[] default '{}'::text[] not null,
  lease_until timestamp with time zone,
  lease_owner text,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_endpoint_pkey PRIMARY KEY (seller_id, endpoint_id),
  constraint webhook_endpoint_max_concurrency_check CHECK (((max_concurrency >= 1) AND (max_concurrency <= 100))),
  constraint webhook_endpoint_ordering_check CHECK ((ordering = ANY (ARRAY['per_object'::text, 'none'::text]))),
  constraint webhook_endpoint_payload_check CHECK ((payload = ANY (ARRAY['full'::text, 'thin'::text]))),
  constraint webhook_endpoint_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text, 'deleted'::text])))
) with (fillfactor=70);
CREATE INDEX webhook_endpoint_changed ON public.webhook_endpoint USING btree (status_changed_at);
alter table webhook_endpoint enable row level security;
alter table webhook_endpoint force row level security;
create policy seller on webhook_endpoint for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on webhook_endpoint for all to spp_system
  using (true)
  with check (true);
CREATE TRIGGER webhook_endpoint_count AFTER INSERT OR UPDATE OF status ON public.webhook_endpoint FOR EACH ROW EXECUTE FUNCTION count_webhook_endpoints();
grant delete, insert, select, update on webhook_endpoint to spp_app;
grant delete, insert, select, update on webhook_endpoint to spp_system;

-- table webhook_replay, owned by spp_migration
create table webhook_replay (
  seller_id id not null,
  replay_id id not null,
  endpoint_id id not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  types text[],
  only_failed boolean not null,
  through bigint not null,
  queued_through bigint default 0 not null,
  status text not null,
  total integer not null,
  created_at timestamp with time zone not null,
  queued integer default 0 not null,
  constraint webhook_replay_pkey PRIMARY KEY (seller_id, replay_id),
  constraint webhook_replay_status_check CHECK ((status = ANY (ARRAY['running'::text, 'queued'::text, 'failed'::text])))
);
alter table webhook_replay enable row level security;
alter table webhook_replay force row level security;
create policy seller on webhook_replay for all to spp_app
  using (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)))
  with check (((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text)));
create policy system on webhook_replay for all to spp_system
  using (true)
  with check (true);
grant delete, insert, select, update on webhook_replay to spp_app;
grant delete, insert, select, update on webhook_replay to spp_system;

alter table auth_session add constraint auth_session_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table file_chunk add constraint file_chunk_seller_id_file_id_fkey FOREIGN KEY (seller_id, file_id) REFERENCES file(seller_id, file_id) ON DELETE CASCADE;
alter table invoice add constraint invoice_seller_id_settlement_id_fkey FOREIGN KEY (seller_id, settlement_id) REFERENCES settlement(seller_id, settlement_id);
alter table ledger_journal add constraint ledger_journal_seller_id_reverses_journal_id_fkey FOREIGN KEY (seller_id, reverses_journal_id) REFERENCES ledger_journal(seller_id, journal_id);
alter table order_cancel_request add constraint order_cancel_request_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_dispute add constraint order_dispute_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_label add constraint order_label_seller_id_shipment_id_fkey FOREIGN KEY (seller_id, shipment_id) REFERENCES order_shipment(seller_id, shipment_id);
alter table order_label_purchase add constraint order_label_purchase_seller_id_shipment_id_fkey FOREIGN KEY (seller_id, shipment_id) REFERENCES order_shipment(seller_id, shipment_id);
alter table order_line add constraint order_line_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_package_number add constraint order_package_number_seller_id_shipment_id_fkey FOREIGN KEY (seller_id, shipment_id) REFERENCES order_shipment(seller_id, shipment_id);
alter table order_refund add constraint order_refund_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_refund_line add constraint order_refund_line_seller_id_order_id_refund_id_fkey FOREIGN KEY (seller_id, order_id, refund_id) REFERENCES order_refund(seller_id, order_id, refund_id);
alter table order_refund_line add constraint order_refund_line_seller_id_order_line_id_fkey FOREIGN KEY (seller_id, order_line_id) REFERENCES order_line(seller_id, order_line_id);
alter table order_return add constraint order_return_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_return_line add constraint order_return_line_seller_id_order_id_return_id_fkey FOREIGN KEY (seller_id, order_id, return_id) REFERENCES order_return(seller_id, order_id, return_id);
alter table order_return_line add constraint order_return_line_seller_id_order_line_id_fkey FOREIGN KEY (seller_id, order_line_id) REFERENCES order_line(seller_id, order_line_id);
alter table order_shipment add constraint order_shipment_seller_id_order_id_fkey FOREIGN KEY (seller_id, order_id) REFERENCES sales_order(seller_id, order_id);
alter table order_shipment_line add constraint order_shipment_line_seller_id_order_line_id_fkey FOREIGN KEY (seller_id, order_line_id) REFERENCES order_line(seller_id, order_line_id);
alter table order_shipment_line add constraint order_shipment_line_seller_id_shipment_id_fkey FOREIGN KEY (seller_id, shipment_id) REFERENCES order_shipment(seller_id, shipment_id);
alter table order_tracking add constraint order_tracking_seller_id_shipment_id_fkey FOREIGN KEY (seller_id, shipment_id) REFERENCES order_shipment(seller_id, shipment_id);
alter table payout add constraint payout_seller_id_settlement_id_fkey FOREIGN KEY (seller_id, settlement_id) REFERENCES settlement(seller_id, settlement_id);
alter table payout_change add constraint payout_change_seller_id_payout_id_fkey FOREIGN KEY (seller_id, payout_id) REFERENCES payout(seller_id, payout_id);
alter table provider_match add constraint provider_match_seller_id_journal_id_fkey FOREIGN KEY (seller_id, journal_id) REFERENCES ledger_journal(seller_id, journal_id);
alter table seller_identity add constraint seller_identity_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table seller_tax_id add constraint seller_tax_id_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table settlement_change add constraint settlement_change_seller_id_settlement_id_fkey FOREIGN KEY (seller_id, settlement_id) REFERENCES settlement(seller_id, settlement_id);
alter table shipping_manifest add constraint shipping_manifest_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table shipping_manifest_line add constraint shipping_manifest_line_seller_id_manifest_id_fkey FOREIGN KEY (seller_id, manifest_id) REFERENCES shipping_manifest(seller_id, manifest_id);
alter table shipping_profile add constraint shipping_profile_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table shipping_quote add constraint shipping_quote_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table shipping_rule add constraint shipping_rule_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table shipping_rule add constraint shipping_rule_seller_id_profile_id_fkey FOREIGN KEY (seller_id, profile_id) REFERENCES shipping_profile(seller_id, profile_id);
alter table team_member add constraint team_member_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);
alter table webhook_endpoint add constraint webhook_endpoint_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES seller(seller_id);

-- view v_invoices_invoice, owned by spp_migration
create view v_invoices_invoice with (security_invoker=true) as
 SELECT seller_id,
    invoice_id,
    settlement_id,
    invoice_number,
    kind,
    status,
    issued_on,
    pdf_status
   FROM invoice;
grant select on v_invoices_invoice to spp_app;
grant select on v_invoices_invoice to spp_system;

-- view v_invoices_line, owned by spp_migration
create view v_invoices_line with (security_invoker=true) as
 SELECT seller_id,
    entry_id,
    invoice_id
   FROM invoice_line;
grant select on v_invoices_line to spp_app;
grant select on v_invoices_line to spp_system;

-- view v_ledger_counted, owned by spp_migration
create view v_ledger_counted with (security_invoker=true) as
 SELECT e.seller_id,
    e.account,
    e.currency,
    e.amount_minor,
    j.posted_on,
        CASE
            WHEN e.late THEN j.recorded_at
            ELSE LEAST(j.occurred_at, j.recorded_at)
        END AS counts_from
   FROM (ledger_journal j
     JOIN ledger_entry e ON ((((e.seller_id)::text = (j.seller_id)::text) AND ((e.journal_id)::text = (j.journal_id)::text))));
grant select on v_ledger_counted to spp_app;
grant select on v_ledger_counted to spp_system;

-- view v_ledger_day, owned by spp_migration
create view v_ledger_day with (security_invoker=true) as
 SELECT seller_id,
    currency,
    posted_on,
    account,
    kind,
    type,
    available_on,
    amount_minor,
    entries,
    first_sales
   FROM ledger_day;
grant select on v_ledger_day to spp_app;
grant select on v_ledger_day to spp_system;

-- view v_ledger_entry, owned by spp_migration
create view v_ledger_entry with (security_invoker=true) as
 SELECT seller_id,
    entry_id,
    journal_id,
    "position",
    account,
    amount_minor,
    currency,
    type,
    component,
    bucket,
    order_id,
    order_line_id,
    quantity,
    rate_bps,
    related_id,
    posted_on,
    available_on,
    late,
    description
   FROM ledger_entry;
grant select on v_ledger_entry to spp_app;
grant select on v_ledger_entry to spp_system;

-- view v_ledger_head, owned by spp_migration
create view v_ledger_head with (security_invoker=true) as
 SELECT seller_id,
    "position",
    moved_minor
   FROM ledger_head;
grant select on v_ledger_head to spp_app;
grant select on v_ledger_head to spp_system;

-- view v_ledger_journal, owned by spp_migration
create view v_ledger_journal with (security_invoker=true) as
 SELECT seller_id,
    journal_id,
    kind,
    order_id,
    refund_id,
    dispute_id,
    settlement_id,
    payout_id,
    occurred_at,
    posted_on,
    recorded_at,
    late,
    idempotency_key,
    reverses_journal_id,
    reason_code,
    actor,
    source_event_id
   FROM ledger_journal;
grant select on v_ledger_journal to spp_app;
grant select on v_ledger_journal to spp_system;

-- view v_ledger_later_sale, owned by spp_migration
create view v_ledger_later_sale with (security_invoker=true) as
 SELECT seller_id,
    currency,
    available_on,
    order_id
   FROM ledger_later_sale;
grant select on v_ledger_later_sale to spp_app;
grant select on v_ledger_later_sale to spp_system;

-- view v_ledger_month, owned by spp_migration
create view v_ledger_month with (security_invoker=true) as
 SELECT seller_id,
    currency,
    month,
    account,
    kind,
    type,
    amount_minor,
    entries,
    first_sales
   FROM ledger_month;
grant select on v_ledger_month to spp_app;
grant select on v_ledger_month to spp_system;

-- view v_ledger_terms, owned by spp_migration
create view v_ledger_terms with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    fee_schedule_version,
    loyalty_program_fund_bps,
    seller_order_fee_minor,
    line_rates,
    available_on
   FROM order_terms;
grant select on v_ledger_terms to spp_app;
grant select on v_ledger_terms to spp_system;

-- view v_orders_given_back, owned by spp_migration
create view v_orders_given_back with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    COALESCE(external_refund_id, (refund_id)::text) AS refund_id,
    provider_transaction_id
   FROM order_refund
  WHERE (provider_transaction_id IS NOT NULL);
grant select on v_orders_given_back to spp_app;
grant select on v_orders_given_back to spp_system;

-- view v_orders_line, owned by spp_migration
create view v_orders_line with (security_invoker=true) as
 SELECT seller_id,
    order_line_id,
    order_id,
    line_no,
    kind,
    product_id,
    seller_sku,
    title,
    category,
    ordered,
    unit_price_minor,
    gross_minor,
    discount_minor,
    net_minor,
    platform_fee_bps,
    delivered
   FROM order_line;
grant select on v_orders_line to spp_app;
grant select on v_orders_line to spp_system;

-- view v_orders_named, owned by spp_migration
create view v_orders_named with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    external_order_id,
    currency
   FROM sales_order;
grant select on v_orders_named to spp_app;
grant select on v_orders_named to spp_system;

-- view v_orders_package, owned by spp_migration
create view v_orders_package with (security_invoker=true) as
 SELECT n.seller_id,
    n.tracking_number,
    n.shipment_id
   FROM (order_package_number n
     JOIN order_shipment s ON ((((s.seller_id)::text = (n.seller_id)::text) AND ((s.shipment_id)::text = (n.shipment_id)::text))))
  WHERE ((s.label_id)::text = (n.label_id)::text);
grant select on v_orders_package to spp_app;
grant select on v_orders_package to spp_system;

-- view v_orders_parcel, owned by spp_migration
create view v_orders_parcel with (security_invoker=true) as
 SELECT s.seller_id,
    s.shipment_id,
    s.order_id,
    o.order_number,
    s.carrier,
    s.service,
    s.tracking_number,
    s.status,
    s.dispatched_at,
    s.delivered_at,
    o.ship_to,
    s.packages,
    s.label_id,
    (l.content -> 'tracking_numbers'::text) AS tracking_numbers,
    l.created_at AS labelled_at
   FROM ((order_shipment s
     JOIN sales_order o ON ((((o.seller_id)::text = (s.seller_id)::text) AND ((o.order_id)::text = (s.order_id)::text))))
     LEFT JOIN order_label l ON ((((l.seller_id)::text = (s.seller_id)::text) AND ((l.label_id)::text = (s.label_id)::text) AND (l.tracking_number = s.tracking_number))))
  WHERE (s.carrier IS NOT NULL);
grant select on v_orders_parcel to spp_app;
grant select on v_orders_parcel to spp_system;

-- view v_orders_short, owned by spp_migration
create view v_orders_short with (security_invoker=true) as
 SELECT seller_id,
    product_id,
    order_id
   FROM order_line
  WHERE ((reserved < (awaiting + accepted_open)) AND (product_id IS NOT NULL));
grant select on v_orders_short to spp_app;
grant select on v_orders_short to spp_system;

-- view v_orders_sold, owned by spp_migration
create view v_orders_sold with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    order_number,
    status,
    currency,
    loyalty,
    placed_at,
    delivered_at,
    items_minor,
    shipping_minor,
    seller_discount_minor,
    total_minor,
    captured_minor,
    charge_id,
    provider_transaction_id,
    charge_total_minor,
    charge_provider_fee_minor,
    provider_fee_minor,
    (share_of IS NOT NULL) AS shared,
    ((provider_fee_minor IS NOT NULL) OR (charge_provider_fee_minor IS NOT NULL)) AS fee_captured
   FROM sales_order;
grant select on v_orders_sold to spp_app;
grant select on v_orders_sold to spp_system;

-- view v_orders_to_dispatch, owned by spp_migration
create view v_orders_to_dispatch with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    dispatch_by
   FROM sales_order
  WHERE (accepted_open > 0);
grant select on v_orders_to_dispatch to spp_app;
grant select on v_orders_to_dispatch to spp_system;

-- view v_orders_tracking, owned by spp_migration
create view v_orders_tracking with (security_invoker=true) as
 SELECT seller_id,
    shipment_id,
    "position",
    status,
    at,
    location,
    detail
   FROM order_tracking;
grant select on v_orders_tracking to spp_app;
grant select on v_orders_tracking to spp_system;

-- view v_orders_units, owned by spp_migration
create view v_orders_units with (security_invoker=true) as
 SELECT seller_id,
    order_id,
    order_line_id,
    net_minor,
    ((awaiting + accepted_open) + in_transit) AS open_units
   FROM order_line;
grant select on v_orders_units to spp_app;
grant select on v_orders_units to spp_system;

-- view v_orders_waiting, owned by spp_migration
create view v_orders_waiting with (security_invoker=true) as
 SELECT ( SELECT (count(*))::integer AS count
           FROM sales_order
          WHERE (awaiting > 0)) AS to_accept,
    ( SELECT (count(*))::integer AS count
           FROM sales_order
          WHERE (accepted_open > 0)) AS to_dispatch,
    ( SELECT (count(*))::integer AS count
           FROM order_cancel_request
          WHERE (status = 'open'::text)) AS cancel_requests,
    ( SELECT (count(*))::integer AS count
           FROM order_return
          WHERE (status = 'requested'::text)) AS returns_to_answer,
    ( SELECT (count(*))::integer AS count
           FROM order_dispute
          WHERE (status = 'open'::text)) AS disputes;
grant select on v_orders_waiting to spp_app;
grant select on v_orders_waiting to spp_system;

-- view v_payouts_change, owned by spp_migration
create view v_payouts_change with (security_invoker=true) as
 SELECT seller_id,
    payout_id,
    number,
    status,
    at,
    actor,
    reason,
    source_event_id
   FROM payout_change;
grant select on v_payouts_change to spp_app;
grant select on v_payouts_change to spp_system;

-- view v_payouts_payout, owned by spp_migration
create view v_payouts_payout with (security_invoker=true) as
 SELECT seller_id,
    payout_id,
    settlement_id,
    attempt,
    retry_of,
    amount_minor,
    currency,
    status,
    provider,
    provider_payout_id,
    provider_transfer_id,
    method,
    destination,
    created_at,
    sent_at,
    expected_arrival_on,
    paid_at,
    returned_at,
    failure_code,
    failure_message,
    payment_reference,
    bank_reference,
    bank_reference_status,
    version,
    updated_at
   FROM payout;
grant select on v_payouts_payout to spp_app;
grant select on v_payouts_payout to spp_system;

-- view v_platform_bulk_event, owned by spp_migration
create view v_platform_bulk_event with (security_invoker=true) as
 SELECT seller_id,
    outbox_id,
    event_ids
   FROM outbox_bulk;
grant select on v_platform_bulk_event to spp_app;
grant select on v_platform_bulk_event to spp_system;

-- view v_platform_event, owned by spp_migration
create view v_platform_event with (security_invoker=true) as
 SELECT seller_id,
    outbox_id,
    event_id,
    type,
    object_id,
    object_version,
    data,
    correlation,
    created_at,
    sequence,
    "position"
   FROM outbox;
grant select on v_platform_event to spp_app;
grant select on v_platform_event to spp_system;

-- view v_platform_event_sequence, owned by spp_migration
create view v_platform_event_sequence with (security_invoker=true) as
 SELECT seller_id,
    last,
    round
   FROM event_sequence;
grant select on v_platform_event_sequence to spp_app;
grant select on v_platform_event_sequence to spp_system;

-- view v_platform_round, owned by spp_migration
create view v_platform_round with (security_invoker=true) as
 SELECT round
   FROM outbox_head;
grant select on v_platform_round to spp_system;

-- view v_platform_usage, owned by spp_migration
create view v_platform_usage with (security_invoker=true) as
 SELECT seller_id,
    resource,
    used
   FROM usage_counter;
grant select on v_platform_usage to spp_app;
grant select on v_platform_usage to spp_system;

-- view v_products_feed_runs, owned by spp_migration
create view v_products_feed_runs with (security_invoker=true) as
 SELECT seller_id,
    run_id,
    status,
    received_at
   FROM feed_run;
grant select on v_products_feed_runs to spp_app;
grant select on v_products_feed_runs to spp_system;

-- view v_products_shipped, owned by spp_migration
create view v_products_shipped with (security_invoker=true) as
 SELECT seller_id,
    product_id,
    seller_sku,
    category
   FROM product
  WHERE ((status <> 'archived'::text) AND (seller_sku IS NOT NULL));
grant select on v_products_shipped to spp_app;
grant select on v_products_shipped to spp_system;

-- view v_products_stock, owned by spp_migration
create view v_products_stock with (security_invoker=true) as
 SELECT seller_id,
    product_id,
    quantity_on_hand,
    quantity_reserved
   FROM inventory;
grant select on v_products_stock to spp_app;
grant select on v_products_stock to spp_system;

-- view v_sellers_payout_terms, owned by spp_migration
create view v_sellers_payout_terms with (security_invoker=true) as
 SELECT seller_id,
    currency,
    hold_days,
    min_payout_minor
   FROM seller;
grant select on v_sellers_payout_terms to spp_app;
grant select on v_sellers_payout_terms to spp_system;

-- view v_sellers_recipient, owned by spp_migration
create view v_sellers_recipient with (security_invoker=true) as
 SELECT seller_id,
    business_name,
        CASE
            WHEN (tax_id_check = 'abn_valid'::text) THEN tax_id
            ELSE NULL::text
        END AS abn,
    currency
   FROM seller;
grant select on v_sellers_recipient to spp_app;
grant select on v_sellers_recipient to spp_system;

-- view v_sellers_sender, owned by spp_migration
create view v_sellers_sender with (security_invoker=true) as
 SELECT seller_id,
    business_name,
    COALESCE(NULLIF((profile -> 'dispatch_address'::text), 'null'::jsonb), NULLIF((business -> 'registered_address'::text), 'null'::jsonb)) AS address
   FROM seller;
grant select on v_sellers_sender to spp_app;
grant select on v_sellers_sender to spp_system;

-- view v_sellers_session, owned by spp_migration
create view v_sellers_session with (security_invoker=true) as
 SELECT seller_id,
    sid,
    revoked_at
   FROM auth_session;
grant select on v_sellers_session to spp_app;
grant select on v_sellers_session to spp_system;

-- view v_sellers_standing, owned by spp_migration
create view v_sellers_standing with (security_invoker=true) as
 SELECT seller_id,
    status,
    verified,
    api_access,
    plan,
    account_flags,
    currency
   FROM seller;
grant select on v_sellers_standing to spp_app;
grant select on v_sellers_standing to spp_system;

-- view v_settlements_line, owned by spp_migration
create view v_settlements_line with (security_invoker=true) as
 SELECT seller_id,
    entry_id,
    settlement_id,
    row_no,
    seal
   FROM settlement_line;
grant select on v_settlements_line to spp_app;
grant select on v_settlements_line to spp_system;

-- view v_settlements_settlement, owned by spp_migration
create view v_settlements_settlement with (security_invoker=true) as
 SELECT seller_id,
    settlement_id,
    currency,
    period_start,
    period_end,
    status,
    opening_balance_minor,
    gross_amount_minor,
    fees_minor,
    adjustments_minor,
    net_amount_minor,
    reserve_change_minor,
    payable_amount_minor,
    payout_amount_minor,
    closing_balance_minor,
    by_type,
    order_count,
    line_count,
    lines_sha256,
    calculation_version,
    ledger_position,
    carry_reason,
    expected_payout_on,
    paid_on,
    payment_reference,
    created_at,
    closed_at,
    closed_by,
    version
   FROM settlement;
grant select on v_settlements_settlement to spp_app;
grant select on v_settlements_settlement to spp_system;

insert into outbox_head select * from json_populate_record(null::outbox_head, '{"one":true,"last":0,"round":0}');
