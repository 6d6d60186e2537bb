-- owner: channels
--
-- For the dashboard.
create index integration_issue_open on integration_issue (seller_id) where state = 'open';
create view v_channels_open_issue with (security_invoker = true) as
select seller_id
from integration_issue
where state = 'open';
grant select on v_channels_open_issue to spp_app, spp_system;
