-- owner: channels
--
-- What onboarding asks about stores: whether one is connected.
create view v_channels_onboarding with (security_invoker = true) as
select seller_id
from channel
where status in ('connected', 'degraded');
grant select on v_channels_onboarding to spp_app, spp_system;
