-- owner: sellers
--
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
