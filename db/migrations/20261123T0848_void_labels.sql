-- owner: orders
--
-- Void labels are few, and a list of them must not read all labels.
create index order_label_voided on order_label (seller_id, created_at, label_id) where status = 'voided';
