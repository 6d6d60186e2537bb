-- What statements and invoices show of other areas.

-- Order lines as money sees them.
create view v_orders_line with (security_invoker = true) as
select seller_id, order_line_id, order_id, line_no, kind, product_id, seller_sku, title, category, ordered,
  unit_price_minor, gross_minor, discount_minor, net_minor, platform_fee_bps
from order_line;
grant select on v_orders_line to spp_app, spp_system;

-- To whom a document is issued: a number that is no ABN by its check digits is not shown as one.
create view v_sellers_recipient with (security_invoker = true) as
select seller_id, business_name, case when tax_id_check = 'abn_valid' then tax_id end as abn, currency from seller;
grant select on v_sellers_recipient to spp_app, spp_system;
