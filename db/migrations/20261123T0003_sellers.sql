-- owner: sellers
--
-- Sellers, their members with their identities and sessions, and what the public business register says.

create table seller (
  seller_id id primary key,
  business_name text not null,
  tax_id text not null,
  tax_id_check text not null check (tax_id_check in ('abn_valid', 'abn_invalid', 'not_abn')),
  status text not null check (status in ('active', 'suspended', 'closed')),
  verified boolean not null,
  api_access boolean not null,
  plan text not null check (plan in ('Free', 'Small', 'Big')),
  account_flags text[] not null default '{}',
  currency text not null default 'AUD',
  hold_days integer,
  min_payout_minor bigint,
  profile jsonb not null default '{}',
  settings jsonb not null default '{}',
  business jsonb not null default '{}',
  holiday jsonb,
  -- Instant, or object version, of the newest standing event that the service applied; older events are
  -- stale.
  standing_at timestamptz,
  standing_version bigint,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
select protect_seller_table('seller');

-- not a seller table: a tax identifier belongs to one seller of the whole marketplace.
create table seller_tax_id (
  tax_id text primary key,
  seller_id id not null references seller
);
grant select, insert on seller_tax_id to spp_system;

create table team_member (
  seller_id id not null references seller,
  member_id id not null,
  -- The marketplace identity, once the member has signed in.
  subject text,
  email text,
  roles text[] not null,
  status text not null check (status in ('invited', 'active', 'removed')),
  invited_by id,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, member_id)
);
select protect_seller_table('team_member');
create unique index team_member_subject on team_member (seller_id, subject) where status <> 'removed';
create unique index team_member_email on team_member (seller_id, lower(email)) where status <> 'removed';
create index team_member_invited_subject on team_member (subject) where status = 'invited';
create index team_member_invited_email on team_member (lower(email)) where status = 'invited';

create function count_team_members() returns trigger language plpgsql as $$
begin
  insert into usage_counter as counter (seller_id, resource, used)
  values (new.seller_id, 'team_members',
    case when new.status = 'removed' then 0 else 1 end)
  on conflict (seller_id, resource) do update set used = counter.used
    + case when new.status = 'removed' then 0 else 1 end
    - case when tg_op = 'UPDATE' and old.status <> 'removed' then 1 else 0 end;
  return null;
end $$;
create trigger team_member_count
  after insert or update on team_member
  for each row execute function count_team_members();

-- not a seller table: the service looks an identity up before it knows the seller.
create table seller_identity (
  subject text primary key,
  seller_id id not null references seller,
  member_id id not null,
  bound_at timestamptz not null
);
grant select, insert, update, delete on seller_identity to spp_system;

create table auth_session (
  seller_id id not null references seller,
  sid id not null,
  member_id id not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (seller_id, sid)
);
select protect_seller_table('auth_session');
create index auth_session_expiry on auth_session (expires_at);

-- not a seller table: answers of the public business register.
create table abn_register_answer (
  abn text primary key,
  answer jsonb not null,
  checked_at timestamptz not null
);
grant select, insert, update, delete on abn_register_answer to spp_system;

-- For every request: whether the seller may act, and with which plan.
create view v_sellers_standing with (security_invoker = true) as
select
  seller_id,
  status,
  verified,
  api_access,
  plan,
  account_flags,
  currency
from seller;
grant select on v_sellers_standing to spp_app, spp_system;

-- For every request: whether the session of its token is still open.
create view v_sellers_session with (security_invoker = true) as
select
  seller_id,
  sid,
  revoked_at
from auth_session;
grant select on v_sellers_session to spp_app, spp_system;

-- For orders: the sender on labels and packing slips. The address for dispatch comes before the registered
-- one.
create view v_sellers_sender with (security_invoker = true) as
select
  seller_id,
  business_name,
  coalesce(nullif(profile->'dispatch_address', 'null'), nullif(business->'registered_address', 'null'))
    as address
from seller;
grant select on v_sellers_sender to spp_app, spp_system;

-- What the ledger asks about a seller's account. Null: the general rule holds.
create view v_sellers_payout_terms with (security_invoker = true) as
select
  seller_id,
  currency,
  hold_days,
  min_payout_minor
from seller;
grant select on v_sellers_payout_terms to spp_app, spp_system;

-- The recipient of an invoice. The document shows no ABN when the check digits of the number are wrong.
create view v_sellers_recipient with (security_invoker = true) as
select
  seller_id,
  business_name,
  case when tax_id_check = 'abn_valid' then tax_id end as abn,
  currency
from seller;
grant select on v_sellers_recipient to spp_app, spp_system;
