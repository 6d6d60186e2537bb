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
