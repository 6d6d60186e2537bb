-- owner: sellers
--
-- When the marketplace last said who may claim a seller, by the marketplace's clock: older events are stale.
alter table seller_tax_id add column provisioned_at timestamptz;
