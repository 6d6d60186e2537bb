-- owner: shipping
--
-- Who hands the parcels over, as it was when the manifest was made, so that every print is the same.
-- Manifests of the release before have neither.
alter table shipping_manifest
  add column seller_name text,
  add column sender jsonb;

-- Profiles and rules as they were. A placement reads them beside those of now.
create trigger past_profile after update on shipping_profile
  for each row execute function keep_past_row(
    'profile_id', 'is_default', 'handling_days', 'cut_off', 'timezone', 'working_days', 'created_at');
create trigger past_rule after update on shipping_rule
  for each row execute function keep_past_row(
    'rule_id', 'profile_id', 'position', 'enabled', 'skus', 'sku_prefixes', 'categories', 'created_at');

-- A postcode may have several words (SW1A 1AA), so a line says which end of its destination it is. Lines of
-- the release before do not.
alter table shipping_manifest_line add column postcode text;
