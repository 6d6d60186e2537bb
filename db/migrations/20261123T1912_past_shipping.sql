-- owner: shipping
--
-- Profiles and rules as they were. A placement reads them beside those of now.
create trigger past_profile after update on shipping_profile
  for each row execute function keep_past_row(
    'profile_id', 'is_default', 'handling_days', 'cut_off', 'timezone', 'working_days', 'created_at');
create trigger past_rule after update on shipping_rule
  for each row execute function keep_past_row(
    'rule_id', 'profile_id', 'position', 'enabled', 'skus', 'sku_prefixes', 'categories', 'created_at');
