-- owner: sellers
--
-- What the marketplace's terms ask of a seller. It stands with the standing, because every request reads it.

alter table seller
  -- The newest version that the seller was asked about.
  add column agreement_version text collate "C",
  -- By when an owner must accept it; null: nothing is due.
  add column agreement_due_at timestamptz,
  -- When the seller is reminded next.
  add column agreement_notice_at timestamptz;
create index seller_agreement_version on seller (agreement_version);
create index seller_agreement_notice on seller (agreement_notice_at) where agreement_notice_at is not null;

-- The days on which a closing hides the products. Every request reads them with the standing, so products
-- need no statement of their own for them.
create or replace view v_sellers_standing with (security_invoker = true) as
select
  seller_id,
  status,
  verified,
  api_access,
  plan,
  account_flags,
  currency,
  case when coalesce(holiday->>'mode', 'hide') = 'hide' then holiday->>'closed_from' end as hidden_from,
  case when coalesce(holiday->>'mode', 'hide') = 'hide' then holiday->>'closed_to' end as hidden_to,
  agreement_version,
  agreement_due_at
from seller;

-- When the seller had the register asked, because it may do so once a minute.
alter table seller add column register_asked_at timestamptz;

-- What onboarding asks about a seller. An answer of the register counts for the present number and name only.
create view v_sellers_onboarding with (security_invoker = true) as
select
  s.seller_id,
  s.status = 'active' as active,
  s.verified,
  s.api_access,
  s.agreement_due_at,
  s.business ? 'legal_name' as legal_name,
  s.business ? 'entity_type' as entity_type,
  s.business ? 'abn' or s.tax_id_check = 'abn_valid' as abn,
  s.business ? 'registered_address' as address,
  coalesce(s.profile->'dispatch_address' <> 'null', false) as dispatch_address,
  v.verdict,
  v.verified_at
from seller s
left join seller_verification v
  on v.seller_id = s.seller_id
 and v.abn = coalesce(s.business->>'abn', case when s.tax_id_check = 'abn_valid' then s.tax_id end)
 and v.name = coalesce(s.business->>'legal_name', s.business_name);
grant select on v_sellers_onboarding to spp_app, spp_system;

-- For the verification of identity: what the register says about a company, and since when an account is
-- closed.
create view v_sellers_company with (security_invoker = true) as
select
  s.seller_id,
  s.status,
  s.created_at,
  s.business->>'entity_type' as entity_type,
  coalesce(
    v.register->>'status' = 'found'
      and v.register->>'abn_status' = 'active'
      and v.register->>'acn' = s.business->>'acn'
      and v.abn = coalesce(s.business->>'abn', case when s.tax_id_check = 'abn_valid' then s.tax_id end),
    false) as registered
from seller s
left join seller_verification v on v.seller_id = s.seller_id;
grant select on v_sellers_company to spp_app, spp_system;

-- When a seller was registered: at its creation by registration, or when an owner took the seller that the
-- marketplace provided. Null while it waits for its owner.
alter table seller add column registered_at timestamptz;

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
update seller
   set registered_at = created_at;
alter table seller force row level security;
