-- owner: sellers

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
