-- owner: channels
--
-- The file of an import names the product of each variant. A preview is stale once a member has changed
-- a link.

alter table channel
  -- When a member last linked, unlinked or ignored a variant; null: never.
  add column links_changed_at timestamptz;

create view v_channels_linking with (security_invoker = true) as
select
  seller_id,
  channel_id,
  links_changed_at
from channel;
grant select on v_channels_linking to spp_app, spp_system;
