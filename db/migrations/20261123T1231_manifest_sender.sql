-- owner: shipping

-- Who hands the parcels over, as it was when the manifest was made, so that every print is the same.
-- Manifests of the release before have neither.
alter table shipping_manifest
  add column seller_name text,
  add column sender jsonb;
