/** Rows of exports, from one snapshot, by a cursor. */
import type { CursorDb, Statement } from '../../../kernel/context.ts';
import {
  boolean,
  instant,
  integer,
  json,
  money,
  nullable,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { ExportRow, InventoryExportRow } from '../domain/export/export-row.ts';
import type { IdentityStrategy, ProductImage } from '../domain/product.ts';
import type { ProductStatus, Variation } from '../domain/row.ts';
import { JOIN_STOCK } from './stock-columns.ts';

/** Enough rows that the round trip costs nothing beside them, few enough to hold in memory. */
const BATCH_ROWS = 1_000;

export interface ExportFilter {
  readonly include_archived: boolean;
  readonly status?: string | undefined;
  readonly updated_since?: string | undefined;
}

const filtered = ({ include_archived, status, updated_since }: ExportFilter): Part =>
  allOf(
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

/** Expressions for columns that are not those of the product. Empty lists and maps become null, without parsing. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  quantity_on_hand: 'i.quantity_on_hand',
  reorder_point: 'i.reorder_point',
  images: "nullif(p.images, '[]') as images",
  attributes: "nullif(p.attributes, '{}') as attributes",
};
export const EXPORT_COLUMNS = Object.keys(EXPORT)
  .map((name) => EXPRESSIONS[name] ?? `p.${name}`)
  .join(', ');

/** The key by which the store platform's shape groups products, as `groupKeyOf` says. */
const GROUP_KEY =
  raw(`case when p.external_profile = 'store_platform_products' then split_part(p.external_key, '#', 1)
              else coalesce(p.variation->>'parent_sku', p.product_id) end collate "C"`);

const ORDERS = { created: raw('p.product_id'), store: part`${GROUP_KEY}, p.product_id` } as const;
export type ExportOrder = keyof typeof ORDERS;

/** Batches of a cursor; the next one is read while the present one is written out. */
async function* readAhead<Row>(db: CursorDb, rows: Statement<Row>): AsyncGenerator<Row[]> {
  const batches = db.cursor(rows, BATCH_ROWS);
  let next = batches.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = batches.next();
    // A reader that stops leaves this batch unread, so its failure must not end the process.
    next.catch(() => undefined);
    yield value;
  }
}

export function exportProducts(
  db: CursorDb,
  filter: ExportFilter,
  order: ExportOrder,
): AsyncGenerator<ExportRow[]> {
  return readAhead(
    db,
    statement(EXPORT)`
      select ${raw(EXPORT_COLUMNS)}
        from product p ${JOIN_STOCK}
       where ${filtered(filter)}
       order by ${ORDERS[order]}`,
  );
}

async function namesIn(db: CursorDb, map: string, filter: ExportFilter): Promise<string[]> {
  const rows = await db.all(statement({ name: text })`
    select distinct n.name collate "C" as name
      from product p, jsonb_object_keys(${raw(map)}) as n (name)
     where ${filtered(filter)}
     order by 1`);
  return rows.map(({ name }) => name);
}

/** Names of all attributes of the exported products, in a fixed order. */
export function attributeNames(db: CursorDb, filter: ExportFilter): Promise<string[]> {
  return namesIn(db, "nullif(p.attributes, '{}')", filter);
}

/** Names of all options of the exported products, in a fixed order. */
export function axisNames(db: CursorDb, filter: ExportFilter): Promise<string[]> {
  return namesIn(db, "p.variation->'values'", filter);
}

/** Whether any exported products share a handle of the store platform's shape. */
export async function handlesAreShared(db: CursorDb, filter: ExportFilter): Promise<boolean> {
  const answer = await db.one(statement({ shared: boolean })`
    select exists (
             select from product p where ${filtered(filter)} group by ${GROUP_KEY} having count(*) > 1
           ) as shared`);
  return answer?.shared === true;
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

export function exportInventory(db: CursorDb): AsyncGenerator<InventoryExportRow[]> {
  return readAhead(
    db,
    statement(INVENTORY_EXPORT)`
      select p.product_id, p.seller_sku, p.title, i.quantity_on_hand,
             coalesce(i.quantity_reserved, 0) as quantity_reserved, i.reorder_point,
             i.updated_at as stock_updated_at
        from product p ${JOIN_STOCK}
       where p.status <> 'archived'
       order by p.product_id`,
  );
}
