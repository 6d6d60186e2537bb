-- Labels that are bought of a carrier over the network. A row is committed before the carrier is asked and names the
-- label to it for good, so that whatever happens in between none is paid for and lost, and none is bought twice.
create table order_label_purchase (
  seller_id id not null,
  -- The id that the label has once it is there.
  label_id id not null,
  order_id id not null,
  shipment_id id not null,
  -- 'open': wanted, and it is not known yet what becomes of it. 'failed': the carrier did not answer, and whoever asked
  -- was told so. 'dropped': not wanted any more; what was bought of it is to be given back. 'ended': nothing is left
  -- to do.
  status text not null check (status in ('open', 'failed', 'dropped', 'ended')),
  carrier text not null,
  service text not null,
  quote_id id,
  option_id text,
  -- Of the quote; null: what the carrier says.
  price_minor bigint check (price_minor >= 0),
  -- What the label shows and the carrier is told.
  content json not null,
  -- Whoever asked for it.
  author json not null,
  -- On the system's clock, as every lease: until then somebody asks the carrier.
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, label_id),
  foreign key (seller_id, shipment_id) references order_shipment
);
select protect_seller_table('order_label_purchase');
-- A parcel has one label, and one purchase of one.
create unique index order_label_purchase_pending on order_label_purchase (seller_id, shipment_id)
  where status in ('open', 'failed');
