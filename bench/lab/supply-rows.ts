/** Rows of suppliers for the benchmarks, written by set statements, and the events that suppliers send. */
import { randomUUID } from 'node:crypto';

const ID_DIGITS = 26;
export const COUNTS_EACH = 1_000;
/** Units of each product. */
export const UNITS = 900_000;

export const idOf = (prefix: string, n: string) => `'${prefix}_' || lpad((${n})::text, ${ID_DIGITS}, '0')`;

export const SUPPLIER = `
  insert into supplier (supplier_id, name, categories, ships_from, currency, minimum_order_minor, status, told_at,
    updated_at)
  values ($1, 'Bench works', '{}', '{"state":"NSW","country":"AU"}', 'AUD', 0, 'active', now(), now())`;
/**
 * Items from number $4 on. Every item is a mug, every 20th a teal one, and each has a SKU of its own.
 */
export const ITEMS = `
  insert into supplier_item (supplier_item_id, supplier_id, supplier_sku, title, brand, mpn, category, image_urls,
    pack_size, minimum_quantity, price_breaks, dropship, status, told_at, published_at, updated_at, search_text)
  select ${idOf('sit', 'n + $3::int')}, $1, 'SKU' || n, 'Stoneware mug number ' || n, 'Harbour Clay', 'HC' || n,
         'Home > Kitchen > Mugs', '{}', 12, 24, '[{"min_quantity":24,"pack_price_minor":6180}]',
         '{"unit_cost_minor":1840,"fee_minor":250}', 'active', now(),
         '2026-01-01'::timestamptz + n * interval '1 s', now(),
         'sku' || n || ' stoneware mug number ' || n || case when n % 20 = 0 then ' teal' else '' end ||
           ' harbour clay hc' || n || ' home kitchen mugs'
    from generate_series($4::int + 1, $2::int) n`;
/** Products of a seller whose units the supplier counts. */
export const PRODUCTS = `
  insert into product (seller_id, product_id, seller_sku, title, currency, status, price_minor, curation_state,
    source_origin, search_text, version, created_at, updated_at)
  select $1, ${idOf('prd', 'n')}, 'SKU' || n, 'Mug ' || n, 'AUD', 'active', 2499, 'approved', 'api', 'mug', 1,
         now(), now()
    from generate_series($2::int + 1, $3::int) n`;
export const STOCK = `
  insert into inventory (seller_id, product_id, quantity_on_hand, stock_source, updated_at)
  select $1, ${idOf('prd', 'n')}, case when $4 = 'own' then ${UNITS} else 0 end, $4, now()
    from generate_series($2::int + 1, $3::int) n`;
export const LISTED = `
  insert into dropship_listing (seller_id, listing_id, product_id, supplier_item_id, supplier_id, status,
    paused_reasons, buffer_units, unit_cost_minor, fee_minor, version, created_at, updated_at)
  select $1, ${idOf('dsl', 'n')}, ${idOf('prd', 'n')}, ${idOf('sit', 'n + $4::int')}, $5, 'active', '{}', 5, 1840,
         250, 1, now(), now()
    from generate_series($2::int + 1, $3::int) n`;

/** Events with a count of each item. */
export function countEvents(supplierId: string, items: number, available: number): object[] {
  const now = new Date().toISOString();
  return Array.from({ length: Math.ceil(items / COUNTS_EACH) }, (_, event) => ({
    ...{ specversion: '1.0', id: randomUUID(), source: '/bench', subject: supplierId, time: now },
    type: 'marketplace.supplier.availability_changed',
    data: {
      as_of: now,
      items: Array.from({ length: Math.min(COUNTS_EACH, items - event * COUNTS_EACH) }, (__, index) => ({
        supplier_sku: `SKU${event * COUNTS_EACH + index + 1}`,
        available,
      })),
    },
  }));
}
