-- owner: sellers
--
-- An invited person takes an invitation up with the token of its link, until the invitation expires.

alter table team_member
  -- SHA-256 of the token, in hexadecimal digits. It stays after the acceptance, so that a repeated request is
  -- answered as the first one was.
  add column invitation_hash text,
  add column invitation_expires_at timestamptz;

create index team_member_invitation on team_member (invitation_hash)
  where invitation_hash is not null;

-- Nothing looks for invitations by identity or address any more.
drop index team_member_invited_subject;
drop index team_member_invited_email;

-- A seller that the marketplace provides has a tax identifier before it has an identity. The marketplace can
-- free an identifier.
alter table seller_tax_id
  -- Since when the seller waits for its identity; null: an identity has registered it.
  add column unclaimed_since timestamptz,
  -- The only identity that may claim the seller; null: the first one that registers.
  add column owner_subject text,
  -- When the marketplace freed the identifier, by the marketplace's clock; the next registration takes it.
  add column released_at timestamptz;
grant update on seller_tax_id to spp_system;

-- For sign-in, and for routes that take the session of the marketplace: the member that an identity stands
-- for, and the standing of its seller. An identity whose member was removed has none.
create view v_sellers_member with (security_invoker = true) as
select
  i.subject,
  i.seller_id,
  i.member_id,
  m.roles,
  s.status,
  s.verified,
  s.api_access,
  s.plan
from seller_identity i
join team_member m
  on m.seller_id = i.seller_id
 and m.member_id = i.member_id
 and m.status = 'active'
join seller s
  on s.seller_id = i.seller_id;
grant select on v_sellers_member to spp_system;

-- When the marketplace last said who may claim a seller, by the marketplace's clock: older events are stale.
alter table seller_tax_id add column provisioned_at timestamptz;

-- The sender on labels and manifests. Without an address for dispatch the one for returns counts, then the
-- registered one.
create or replace view v_sellers_sender with (security_invoker = true) as
select
  seller_id,
  business_name,
  coalesce(
    nullif(profile->'dispatch_address', 'null'),
    nullif(profile->'return_address', 'null'),
    nullif(business->'registered_address', 'null')
  ) as address
from seller;

-- The recipient of an invoice: the business details, and what the registration says where they say nothing.
-- An ABN of the business details has right check digits; a tax identifier counts only if it is an ABN.
create or replace view v_sellers_recipient with (security_invoker = true) as
select
  seller_id,
  coalesce(business->>'legal_name', business_name) as business_name,
  coalesce(business->>'abn', case when tax_id_check = 'abn_valid' then tax_id end) as abn,
  currency,
  coalesce(
    nullif(business->'registered_address', 'null'),
    nullif(profile->'billing_address', 'null')
  ) as address
from seller;

-- What the business register has said about the number and the name of a seller.
create table seller_verification (
  seller_id id primary key references seller,
  -- The number and the name that were checked; after a change of either the row no longer counts.
  abn text not null,
  name text not null,
  register jsonb not null,
  name_match jsonb,
  verdict text not null check (verdict in ('verified', 'mismatch', 'inactive', 'not_found', 'unknown')),
  -- When the register answered last; null: it never did.
  verified_at timestamptz,
  next_check_on date not null
);
select protect_seller_table('seller_verification');
create index seller_verification_next on seller_verification (next_check_on);
