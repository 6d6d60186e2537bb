-- A parcel whose carrier is corrected after the wrong one's manifest was made stands on the right one's too.
alter table shipping_manifest_line add unique (seller_id, shipment_id, package, manifest_id);
alter table shipping_manifest_line drop constraint shipping_manifest_line_seller_id_shipment_id_package_key;
