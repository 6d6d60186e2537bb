/** Reads the rows of exports from one snapshot, with a cursor. */
import type { CursorDb, Statement } from '../../../kernel/context.ts';
import { instant, integer, json, money, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerCursor } from '../../../platform/db/table.ts';
import type { ExportRow, InventoryExportRow } from '../domain/export/export-row.ts';
import type { IdentityStrategy, ProductImage } from '../domain/product.ts';
import type { ProductStatus, Variation } from '../domain/row.ts';
import { STOCK_OF_EACH } from './stock-columns.ts';

/** Enough rows to make the cost of a round trip negligible, few enough for the memory. */
const BATCH_ROWS = 1_000;

export interface ExportFilter {
  readonly include_archived: boolean;
  readonly status?: string | undefined;
  readonly updated_since?: string | undefined;
}

const filtered = (sellerId: string, { include_archived, status, updated_since }: ExportFilter): Part =>
  allOf(
    part`p.seller_id = ${sellerId}`,
    status !== undefined && part`p.status = ${status}`,
    status === undefined && !include_archived && part`p.status <> 'archived'`,
    updated_since !== undefined && part`p.updated_at >= ${updated_since}`,
  );

const EXPORT = {
  product_id: text,
  seller_sku: nullable(text),
  title: nullable(text),
  description: nullable(text),
  brand: nullable(text),
  category: nullable(text),
  condition: nullable(text),
  external_key: nullable(text),
  external_profile: nullable(text),
  identity_strategy: nullable(textOf<IdentityStrategy>()),
  value_entered: nullable(text),
  mpn: nullable(text),
  exempt_reason: nullable(text),
  product_ref: nullable(text),
  price_minor: nullable(money),
  compare_at_minor: nullable(money),
  currency: text,
  quantity_on_hand: nullable(integer),
  reorder_point: nullable(integer),
  status: textOf<ProductStatus>(),
  images: nullable(json<readonly ProductImage[]>()),
  attributes: nullable(json<Readonly<Record<string, string>>>()),
  variation: nullable(json<Variation>()),
};

/** Expressions of columns that are not plain columns of `product`. Empty lists and maps become null, to save parsing. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  quantity_on_hand: 'i.quantity_on_hand',
  reorder_point: 'i.reorder_point',
  images: "nullif(p.images, '[]') as images",
  attributes: "nullif(p.attributes, '{}') as attributes",
};
export const EXPORT_COLUMNS = Object.keys(EXPORT)
  .map((name) => EXPRESSIONS[name] ?? `p.${name}`)
  .join(', ');

/** The key by which the store platform's export groups products; the same as `groupKeyOf`. */
const GROUP_KEY =
  raw(`case when p.external_profile = 'store_platform_products' then split_part(p.external_key, '#', 1)
              else coalesce(p.variation->>'parent_sku', p.product_id) end collate "C"`);

const ORDERS = { created: raw('p.product_id'), store: part`${GROUP_KEY}, p.product_id` } as const;
type ExportOrder = keyof typeof ORDERS;

/** Reads batches with a cursor. It reads the next batch while the caller writes the current one. */
async function* readAhead<Row>(db: CursorDb, rows: Statement<Row>): AsyncGenerator<Row[]> {
  const batches = db.cursor(rows, BATCH_ROWS);
  let next = batches.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = batches.next();
    // When the caller stops, this batch is never awaited: its failure must not end the process.
    next.catch(() => undefined);
    yield value;
  }
}

export function exportProducts(
  { db, seller_id }: SellerCursor,
  filter: ExportFilter,
  order: ExportOrder,
): AsyncGenerator<ExportRow[]> {
  return readAhead(
    db,
    statement(EXPORT)`
      select ${raw(EXPORT_COLUMNS)}
        from product p ${raw(STOCK_OF_EACH)}
       where ${filtered(seller_id, filter)}
       order by ${ORDERS[order]}`,
  );
}

async function namesIn(
  { db, seller_id }: SellerCursor,
  map: string,
  filter: ExportFilter,
): Promise<string[]> {
  const rows = await db.all(statement({ name: text })`
    select distinct n.name collate "C" as name
      from product p, jsonb_object_keys(${raw(map)}) as n (name)
     where ${filtered(seller_id, filter)}
     order by 1`);
  return rows.map(({ name }) => name);
}

/** The names of all attributes of the exported products, sorted. */
export function attributeNames(at: SellerCursor, filter: ExportFilter): Promise<string[]> {
  return namesIn(at, "nullif(p.attributes, '{}')", filter);
}

/** The names of all variation options of the exported products, sorted. */
export function axisNames(at: SellerCursor, filter: ExportFilter): Promise<string[]> {
  return namesIn(at, "p.variation->'values'", filter);
}

const INVENTORY_EXPORT = {
  product_id: text,
  seller_sku: nullable(text),
  title: nullable(text),
  quantity_on_hand: nullable(integer),
  quantity_reserved: integer,
  reorder_point: nullable(integer),
  stock_updated_at: nullable(instant),
};

export function exportInventory({ db, seller_id }: SellerCursor): AsyncGenerator<InventoryExportRow[]> {
  return readAhead(
    db,
    statement(INVENTORY_EXPORT)`
      select p.product_id, p.seller_sku, p.title, i.quantity_on_hand,
             coalesce(i.quantity_reserved, 0) as quantity_reserved, i.reorder_point,
             i.updated_at as stock_updated_at
        from product p ${raw(STOCK_OF_EACH)}
       where p.seller_id = ${seller_id}
         and p.status <> 'archived'
       order by p.product_id`,
  );
}
