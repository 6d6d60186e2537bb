-- owner: sellers
--
-- Since when an account is closed: a later decision about it does not move the time for which its documents
-- are kept.
alter table seller add column closed_at timestamptz;

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
update seller
   set closed_at = standing_at
 where status = 'closed';
alter table seller force row level security;

create or replace view v_sellers_closed with (security_invoker = true) as
select
  seller_id,
  -- The release before does not write the time.
  coalesce(closed_at, standing_at) as closed_at
from seller
where status = 'closed';
