/** Statements that move stock for orders, in either scope. */
import type { Acting, Db } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { integer, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, oneOf, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { showImages } from '../domain/images/media-url.ts';
import type { ProductImage, StockRow, StockSource } from '../domain/product.ts';
import { mediaUrl } from '../settings.ts';
import { STOCK, STOCK_COLUMNS } from './stock-columns.ts';
import type { WriteContext } from './write-products.ts';

export interface HeldStock extends StockRow {
  readonly product_version: number;
}

/**
 * Locks the stock of products until the transaction ends, and reads it. All writers lock stock in the order of the ids.
 *
 * @param productIds without repeats
 */
export async function holdStock(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
  at: string,
): Promise<HeldStock[]> {
  const lock = () =>
    db.all(statement({ ...STOCK, product_version: integer })`
      select ${STOCK_COLUMNS}, p.version as product_version
        from inventory i
        join product p on p.seller_id = i.seller_id and p.product_id = i.product_id
       where i.seller_id = ${sellerId}
         and ${oneOf(raw('i.product_id'), productIds)}
       order by i.product_id
         for update of i`);
  const held = await lock();
  if (held.length === productIds.length) return held;
  // A product without a quantity has no row yet; version 0 precedes the first change.
  await db.run(command`
    insert into inventory (seller_id, product_id, version, updated_at)
    select p.seller_id, p.product_id, 0, ${at}::timestamptz
      from product p
     where p.seller_id = ${sellerId}
       and p.product_id = any(${productIds})
     order by p.product_id
        on conflict (seller_id, product_id) do nothing`);
  return lock();
}

/** Writes units on hand and reserved units of locked rows. */
export async function writeHeldStock(
  { db, seller_id, at }: WriteContext,
  rows: readonly StockRow[],
): Promise<void> {
  const ids = rows.map(({ product_id }) => product_id);
  const place = part`array_position(${textArray(ids)}::text[], product_id)`;
  db.later(command`
    update inventory
       set quantity_on_hand = (${intArray(rows.map((row) => row.quantity_on_hand))}::int[])[${place}],
           quantity_reserved = (${intArray(rows.map((row) => row.quantity_reserved))}::int[])[${place}],
           version = version + 1,
           updated_at = ${at()}::timestamptz
     where seller_id = ${seller_id}
       and ${oneOf(raw('product_id'), ids)}`);
}

/** Says who counts a product whose stock is locked. */
export const writeStockSource = (
  { db, seller_id }: SellerDb,
  productId: string,
  source: StockSource,
): Promise<number> =>
  db.run(command`
    update inventory
       set stock_source = ${source}
     where seller_id = ${seller_id}
       and product_id = ${productId}`);

const SKU_PRODUCT = {
  product_id: text,
  seller_sku: text,
  title: nullable(text),
  category: nullable(text),
  gtin14: nullable(text),
  /** Grams in digits, as imports write the attribute. */
  weight: nullable(text),
  image: nullable(json<ProductImage>('json')),
};
const GRAMS = /^[1-9]\d{0,6}$/;

export type SkuProduct = Omit<RowOf<typeof SKU_PRODUCT>, 'weight' | 'image'> & {
  readonly weight_g: number | null;
  readonly image_url: string | null;
};

/** Products with some SKUs. Includes archived products, which earlier orders may have. */
export async function productsBySku(
  { db, seller_id, config }: SellerDb & Pick<Acting, 'config'>,
  skus: readonly string[],
): Promise<SkuProduct[]> {
  if (skus.length === 0) return [];
  const rows = await db.all(statement(SKU_PRODUCT)`
    select product_id, seller_sku, title, category, gtin14, attributes ->> 'weight_g' as weight,
           (images -> 0)::json as image
      from product
     where seller_id = ${seller_id}
       and ${oneOf(raw('seller_sku'), skus)}`);
  return rows.map(({ weight, image, ...product }) => ({
    ...product,
    weight_g: weight !== null && GRAMS.test(weight) ? Number(weight) : null,
    image_url: image === null ? null : (showImages([image], mediaUrl(config))[0]?.url ?? null),
  }));
}

/** Available units by product, without products of unknown stock. */
export async function availableUnits(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(statement({ product_id: text, units: integer })`
    select product_id, greatest(0, quantity_on_hand - quantity_reserved) as units
      from inventory
     where seller_id = ${sellerId}
       and product_id = any(${productIds})
       and quantity_on_hand is not null`);
  return new Map(rows.map(({ product_id, units }) => [product_id, units]));
}
