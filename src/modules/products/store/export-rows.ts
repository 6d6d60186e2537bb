/** Rows of exports, from one snapshot, by a cursor. */
import type { CursorDb, Statement } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { ExportRow, InventoryExportRow } from '../domain/export/export-row.ts';
import { JOIN_STOCK } from './list-inventory.ts';

/** Rows of one round trip: enough that the round trip costs nothing beside them, little enough to hold. */
const BATCH_ROWS = 1_000;

export interface ExportFilter {
  readonly include_archived: boolean;
  readonly status?: string | undefined;
  readonly updated_since?: string | undefined;
}

const WHERE =
  "($1::text is null or p.status = $1) and ($2::boolean or p.status <> 'archived') and ($3::timestamptz is null or p.updated_at >= $3)";
const valuesOf = ({ include_archived, status, updated_since }: ExportFilter): unknown[] => [
  status ?? null,
  include_archived || status === 'archived',
  updated_since ?? null,
];

/** Empty lists and maps arrive as null, so that they are not parsed. */
export const EXPORT_COLUMNS =
  'p.product_id, p.seller_sku, p.title, p.description, p.brand, p.category, p.condition, p.external_key, p.external_profile, ' +
  'p.identity_strategy, p.value_entered, p.mpn, p.exempt_reason, p.product_ref, p.price_minor, p.compare_at_minor, p.currency, ' +
  "i.quantity_on_hand, i.reorder_point, p.status, nullif(p.images, '[]') as images, nullif(p.attributes, '{}') as attributes, p.variation";

/** Which catalogue key the store platform's own key of a product ends at; products of one key stand together. */
const STORE_ORDER =
  "case when p.external_profile = 'store_platform_products' then split_part(p.external_key, '#', 1) " +
  'else coalesce(p.variation->>\'parent_sku\', p.product_id) end collate "C"';

const ORDERS = { created: 'p.product_id', store: `${STORE_ORDER}, p.product_id` } as const;
export type ExportOrder = keyof typeof ORDERS;

const exportStatement = (filter: ExportFilter, order: ExportOrder): Statement<ExportRow> =>
  sql(
    `select ${EXPORT_COLUMNS} from product p ${JOIN_STOCK} where ${WHERE} order by ${ORDERS[order]}`,
    valuesOf(filter),
  );

/** Batches of a cursor, the next one on its way while the present one is written out. */
async function* ahead<Row>(db: CursorDb, statement: Statement<Row>): AsyncGenerator<Row[]> {
  const batches = db.cursor(statement, BATCH_ROWS);
  let next = batches.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = batches.next();
    // Whoever stops reading leaves this one unread; its failure is then nobody's.
    next.catch(() => undefined);
    yield value;
  }
}

export function exportProducts(
  db: CursorDb,
  filter: ExportFilter,
  order: ExportOrder,
): AsyncGenerator<ExportRow[]> {
  return ahead(db, exportStatement(filter, order));
}

const NAMES = (map: string): string =>
  `select distinct n.name collate "C" as name from product p, jsonb_object_keys(${map}) as n (name) where ${WHERE} order by 1`;
const ATTRIBUTES = NAMES("nullif(p.attributes, '{}')");
const AXES = NAMES("p.variation->'values'");

async function names(db: CursorDb, text: string, filter: ExportFilter): Promise<string[]> {
  return (await db.all<{ name: string }>(sql(text, valuesOf(filter)))).map(({ name }) => name);
}

/** Names of all attributes of the exported products, in a fixed order. */
export function attributeNames(db: CursorDb, filter: ExportFilter): Promise<string[]> {
  return names(db, ATTRIBUTES, filter);
}

/** Names of all options of the exported products, in a fixed order. */
export function axisNames(db: CursorDb, filter: ExportFilter): Promise<string[]> {
  return names(db, AXES, filter);
}

const SHARED = `select exists (select from product p where ${WHERE} group by ${STORE_ORDER} having count(*) > 1) as shared`;

/** Whether any exported products share a handle of the store platform's shape. */
export async function handlesAreShared(db: CursorDb, filter: ExportFilter): Promise<boolean> {
  const [answer] = await db.all<{ shared: boolean }>(sql(SHARED, valuesOf(filter)));
  return answer?.shared === true;
}

const INVENTORY =
  'select p.product_id, p.seller_sku, p.title, i.quantity_on_hand, coalesce(i.quantity_reserved, 0) as quantity_reserved, ' +
  `i.reorder_point, i.updated_at as stock_updated_at from product p ${JOIN_STOCK} where p.status <> 'archived' order by p.product_id`;

export function exportInventory(db: CursorDb): AsyncGenerator<InventoryExportRow[]> {
  return ahead(db, sql<InventoryExportRow>(INVENTORY));
}
