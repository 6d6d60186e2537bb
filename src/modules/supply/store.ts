import type { Db } from '../../kernel/context.ts';
import { foldText, searchWords } from '../../kernel/fold-text.ts';
import {
  bigint,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../platform/db/columns.ts';
import { allOf, command, type Part, part, raw, statement } from '../../platform/db/statement.ts';
import { asRelation } from '../../platform/db/table.ts';
import type { PriceBreak } from './domain/terms.ts';

export const SUPPLIER_STATUSES = ['active', 'paused', 'closed'] as const;
export const ITEM_STATUSES = ['active', 'discontinued'] as const;

const told = { told_at: instant, told_version: nullable(bigint), updated_at: instant };
const supplier = {
  supplier_id: text,
  external_id: nullable(text),
  name: text,
  about: nullable(text),
  categories: texts,
  ships_from: json<{ readonly state: string | null; readonly country: string }>(),
  currency: text,
  minimum_order_minor: money,
  flat_freight_minor: nullable(money),
  free_freight_from_minor: nullable(money),
  lead_time_days: nullable(json<{ readonly min: number; readonly max: number }>()),
  payment_terms: nullable(text),
  status: textOf<(typeof SUPPLIER_STATUSES)[number]>(),
  search_text: nullable(text),
  ...told,
};
export type SupplierRow = RowOf<typeof supplier>;

const item = {
  supplier_item_id: text,
  supplier_id: text,
  external_id: nullable(text),
  supplier_sku: text,
  title: text,
  description: nullable(text),
  brand: nullable(text),
  mpn: nullable(text),
  gtin14: nullable(text),
  category: nullable(text),
  image_urls: texts,
  pack_size: integer,
  minimum_quantity: integer,
  maximum_quantity: nullable(integer),
  price_breaks: json<readonly PriceBreak[]>(),
  rrp_minor: nullable(money),
  dropship: nullable(json<{ readonly unit_cost_minor: number; readonly fee_minor: number }>()),
  status: textOf<(typeof ITEM_STATUSES)[number]>(),
  published_at: instant,
  ...told,
};
export type ItemRow = RowOf<typeof item>;

const known = { told_at: instant, told_version: nullable(bigint) };

/** Locks the name of a supplier, so that events about one supplier are applied one after another. */
export async function lockSupplier(db: Db, name: string) {
  await db.run(command`select from pg_advisory_xact_lock(hashtextextended('supplier/' || ${name}, 0))`);
  return db.one(statement({ supplier_id: text, currency: text, ...known })`
    select supplier_id, currency, told_at, told_version
      from supplier
     where supplier_id = ${name}
        or external_id = ${name}`);
}

/** These stay as they were at first. */
const FIRST: ReadonlySet<string> = new Set(['external_id', 'published_at']);

/** How items are found. */
const written = {
  ...item,
  search_text: text,
  brand_folded: nullable(text),
  mpn_folded: nullable(text),
};
const folded = (words: string | null): string | null => (words === null ? null : foldText(words).trim());

/** Inserts rows, or updates those with their key. */
function upsert(table: string, columns: typeof supplier | typeof written, rows: readonly object[]) {
  const names = Object.keys(columns);
  const { from, element } = asRelation(columns, rows as never);
  const changed = names.filter((name) => !FIRST.has(name)).map((name) => `${name} = excluded.${name}`);
  return command`
    insert into ${raw(table)} (${raw(names.join(', '))})
    select ${raw(names.map(element).join(', '))}
      from ${from} as u (${raw(names.join(', '))})
        on conflict (${raw(names[0] ?? '')}) do update set ${raw(changed.join(', '))}`;
}
export const writeSupplier = (db: Db, row: SupplierRow) => db.run(upsert('supplier', supplier, [row]));
export const writeItems = (db: Db, rows: readonly ItemRow[]) =>
  db.run(
    upsert(
      'supplier_item',
      written,
      rows.map((row) => {
        const { title, brand, mpn, supplier_sku, gtin14, category } = row;
        const words = [title, brand, mpn, supplier_sku, gtin14, category].filter((one) => one !== null);
        const search_text = foldText(words.join(' '));
        return { ...row, search_text, brand_folded: folded(brand), mpn_folded: folded(mpn) };
      }),
    ),
  );

/** A supplier as it has published itself last. */
export const supplierOf = (db: Db, supplierId: string): Promise<SupplierRow | undefined> =>
  db.one(statement(supplier)`
    select ${raw(Object.keys(supplier).join(', '))}
      from supplier
     where supplier_id = ${supplierId}`);

const counted = { ...item, available: nullable(integer), available_as_of: nullable(instant) };
/** An item with its newest count. */
type CountedItem = RowOf<typeof counted>;

/** Items with these ids, discontinued ones too. */
export const itemsOf = (db: Db, ids: readonly string[]): Promise<CountedItem[]> =>
  db.all(statement(counted)`
    select ${raw(Object.keys(counted).join(', '))}
      from supplier_item
     where supplier_item_id = any(${ids})
     order by supplier_item_id`);

/** Items with one of these ids, or of a supplier with one of these ids or SKUs. */
export const knownItems = (db: Db, supplierId: string, ids: readonly string[], skus: readonly string[]) =>
  db.all(
    statement({
      ...{ supplier_item_id: text, supplier_id: text, external_id: nullable(text), supplier_sku: text },
      ...{ status: item.status, dropship: item.dropship },
      ...known,
    })`
    select supplier_item_id, supplier_id, external_id, supplier_sku, status, dropship, told_at, told_version
      from supplier_item
     where supplier_item_id = any(${ids})
        or (supplier_id = ${supplierId} and (external_id = any(${ids}) or supplier_sku = any(${skus})))`,
  );

/**
 * Writes counts that are newer than the known ones. Of two at one instant the lower holds, so that their order does not
 * matter. A count keeps a discontinued item from being forgotten; `updated_at` of other items stays, so that most counts
 * touch no index.
 *
 * @returns the number of items that changed
 */
export function writeCounts(
  db: Db,
  supplierId: string,
  { as_of, at, counts }: { as_of: string; at: string; counts: ReadonlyMap<string, number | null> },
): Promise<number> {
  return db.run(command`
    update supplier_item i
       set available = c.available,
           available_as_of = ${as_of},
           updated_at = case i.status when 'discontinued' then ${at} else i.updated_at end
      from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as c (supplier_sku, available)
     where i.supplier_id = ${supplierId}
       and i.supplier_sku = c.supplier_sku
       and (i.available_as_of is null
            or i.available_as_of < ${as_of}
            or (i.available_as_of = ${as_of}
                and coalesce(c.available, 2147483647) < coalesce(i.available, 2147483647)))`);
}

const SUPPLIER_LIST = Object.keys(supplier)
  .map((name) => `s.${name}`)
  .join(', ');

/** A supplier by its id, or by the marketplace's own id of it. */
export const supplierNamed = (db: Db, name: string): Promise<SupplierRow | undefined> =>
  db.one(statement(supplier)`
    select ${raw(SUPPLIER_LIST)}
      from supplier s
     where s.supplier_id = ${name}
        or s.external_id = ${name}`);

/** Adds to the numbers of active items of a supplier. */
export const addItems = (db: Db, supplierId: string, more: { items: number; dropship_items: number }) =>
  db.run(command`
    update supplier
       set items = items + ${more.items},
           dropship_items = dropship_items + ${more.dropship_items}
     where supplier_id = ${supplierId}`);

const listed = { ...supplier, items: integer, dropship_items: integer };
/** A supplier with its numbers of active items. */
export type ListedSupplier = RowOf<typeof listed>;
const LISTED = raw(Object.keys(listed).join(', '));

interface SupplierFilters {
  /** Folded; all must occur. */
  readonly words: readonly string[];
  /** A category, or one above those of the supplier. */
  readonly category?: string | undefined;
  /** A state, or a country. */
  readonly ships_from?: string | undefined;
  readonly dropship?: boolean | undefined;
}

function matching({ words, category, ships_from, dropship }: SupplierFilters): (Part | undefined)[] {
  return [
    ...words.map((word) => part`strpos(search_text, ${word}) > 0`),
    category === undefined
      ? undefined
      : part`exists (select from unnest(categories) c
                      where c = ${category} or starts_with(c, ${`${category} > `}))`,
    ships_from === undefined
      ? undefined
      : part`${ships_from} in (ships_from ->> 'state', ships_from ->> 'country')`,
    dropship === undefined ? undefined : part`(dropship_items > 0) = ${dropship}`,
  ];
}

/** A page of suppliers by name, with one row more than the limit. */
export const suppliersPage = (
  db: Db,
  filters: SupplierFilters,
  after: readonly unknown[] | undefined,
  limit: number,
): Promise<ListedSupplier[]> =>
  db.all(statement(listed)`
    select ${LISTED}
      from supplier
     where ${allOf(...matching(filters), after && part`(name, supplier_id) > (${after[0]}, ${after[1]})`)}
     order by name, supplier_id
     limit ${limit + 1}`);

/** A supplier with its numbers of active items. */
export const listedSupplier = (db: Db, supplierId: string): Promise<ListedSupplier | undefined> =>
  db.one(statement(listed)`
    select ${LISTED}
      from supplier
     where supplier_id = ${supplierId}`);

const offered = { ...counted, supplier_name: text, currency: text };
/** An item with its newest count and the name of its supplier. */
export type OfferedItem = RowOf<typeof offered>;
const OFFERED = `${Object.keys(counted)
  .map((name) => `i.${name}`)
  .join(', ')}, s.name as supplier_name, s.currency`;

interface ItemFilters {
  readonly q?: string | undefined;
  readonly supplier_id?: string | undefined;
  readonly category?: string | undefined;
  readonly gtin14?: string | undefined;
  readonly brand?: string | undefined;
  readonly mpn?: string | undefined;
  readonly dropship?: boolean | undefined;
  readonly in_stock?: boolean | undefined;
  /** Identities of a product: items with one of them. Folded texts. */
  readonly matches?:
    | { readonly gtin14: string | null; readonly brand: string | null; readonly mpn: string | null }
    | undefined;
}

/** Every word begins a word of the item's texts. */
const tsquery = (search: string): string =>
  searchWords(search)
    .map((word) => `'${word.replaceAll(/['\\]/g, ' ')}':*`)
    .join(' & ');

/** The pair of the part number and the brand, or the GTIN. */
const sameProduct = ({ gtin14, brand, mpn }: NonNullable<ItemFilters['matches']>) =>
  part`i.gtin14 = ${gtin14}
        or (i.mpn_folded = ${folded(mpn)} and i.brand_folded = ${folded(brand)})`;

/** Words that one of forty items has fill a page from so many of the newest. */
const NEWEST_ITEMS = 2_000;
/** Longer words with digits are SKUs and part numbers, which few items have. */
const SHORT_CHARS = 2;

/**
 * A page of the items on offer and one more, the one that was published last first. The planner does not know how many
 * items have a word: it would look for a rare one among all items from the newest on. So a search looks among the newest
 * ones, and if they do not fill the page, finds all items with the word by the index of words.
 */
export async function searchItems(
  db: Db,
  { q, supplier_id, category, gtin14, brand, mpn, dropship, in_stock, matches }: ItemFilters,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<OfferedItem[]> {
  const before =
    after && part`(i.published_at, i.supplier_item_id) < (${after[0]}::timestamptz, ${after[1]})`;
  const page = (items: Part, order: Part) =>
    db.all(statement(offered)`
    select ${raw(OFFERED)}
      from ${items} i
      join supplier s
        on s.supplier_id = i.supplier_id
     where ${allOf(
       part`i.status = 'active' and s.status <> 'closed'`,
       q !== undefined && part`i.search @@ to_tsquery('simple', ${tsquery(q)})`,
       supplier_id !== undefined && part`i.supplier_id = ${supplier_id}`,
       category !== undefined && part`i.category = ${category}`,
       gtin14 !== undefined && part`i.gtin14 = ${gtin14}`,
       brand !== undefined && part`i.brand_folded = ${folded(brand)}`,
       mpn !== undefined && part`i.mpn_folded = ${folded(mpn)}`,
       dropship !== undefined && part`(i.dropship is not null) = ${dropship}`,
       in_stock !== undefined && raw(in_stock ? 'i.in_stock' : 'not i.in_stock'),
       matches && sameProduct(matches),
       before,
     )}
     order by ${order}
     limit ${limit + 1}`);
  const byIndex = part`i.published_at desc, i.supplier_item_id desc`;
  if (q === undefined) return page(part`supplier_item`, byIndex);
  const newest = part`(
           select *
             from supplier_item i
            where ${allOf(before)}
            order by ${byIndex}
            limit ${NEWEST_ITEMS})`;
  const isRare = searchWords(q).some((word) => word.length > SHORT_CHARS && /\d/.test(word));
  const some = isRare ? [] : await page(newest, byIndex);
  if (some.length > limit) return some;
  // The index of the newest items does not have this order.
  return page(part`supplier_item`, part`i.published_at + interval '0 s' desc, i.supplier_item_id desc`);
}

/** One item, discontinued or not. */
export const offeredItem = (db: Db, itemId: string): Promise<OfferedItem | undefined> =>
  db.one(statement(offered)`
    select ${raw(OFFERED)}
      from supplier_item i
      join supplier s
        on s.supplier_id = i.supplier_id
     where i.supplier_item_id = ${itemId}`);
