-- owner: sellers

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
