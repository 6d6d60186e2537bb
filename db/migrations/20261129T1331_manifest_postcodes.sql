-- owner: shipping

-- A postcode may have several words (SW1A 1AA), so a line says which end of its destination it is. Lines of
-- the release before do not.
alter table shipping_manifest_line add column postcode text;
