/** A supplier of the tests: it publishes items and counts, and answers dropship orders, by the internal listener only. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { eventually } from './feeds.ts';
import { create } from './products.ts';

const MINUTE_MS = 60_000;
export const COST = { unit_cost_minor: 1_840, fee_minor: 250 };
const newId = (kind: string): string => `${kind}${randomUUID().replaceAll('-', '').slice(0, 26)}`;

export interface SupplierItem {
  readonly supplier_item_id: string;
  readonly supplier_sku: string;
}

export interface TestSupplier {
  readonly supplier_id: string;
  readonly items: readonly SupplierItem[];
  /** Sends an event; returns the status, or the code of a rejection. */
  tell(type: string, subject: string, data: object, more?: object): Promise<string>;
  /** Publishes the items again with other fields. */
  publish(more: object): Promise<string>;
  /** Reports a count of each item. @param minutesAgo when it was counted */
  count(available: number | null, minutesAgo?: number): Promise<string>;
}

const item = (one: SupplierItem, more: object) => ({
  ...one,
  ...{ title: 'Stoneware mug, blue', brand: 'Bondi Clay', mpn: `BC-${one.supplier_sku}`, gtin14: null },
  ...{ category: 'Home > Kitchen > Mugs', image_urls: [], pack_size: 12, minimum_quantity: 24 },
  ...{ price_breaks: [{ min_quantity: 24, pack_price_minor: 6_180 }], dropship: COST, status: 'active' },
  ...more,
});

/** Publishes a supplier with items for dropship. @param more of its profile */
export async function publishSupplier(app: TestApp, items = 1, more: object = {}): Promise<TestSupplier> {
  const supplier_id = newId('sup_');
  const made = Array.from({ length: items }, () => ({
    supplier_item_id: newId('sit_'),
    supplier_sku: `BC-${randomUUID()}`,
  }));
  const iso = (ago = 0) => new Date(app.app.services.now() - ago).toISOString();
  const tell = async (type: string, subject: string, data: object, more: object = {}) => {
    const [result] = await app.events({
      ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core', time: iso() },
      ...{ type: `marketplace.supplier.${type}`, subject, data },
      ...more,
    });
    return result?.code ?? result?.status ?? 'none';
  };
  const publish = (more: object) =>
    tell('items_published', supplier_id, { items: made.map((one) => item(one, more)) });
  const count = (available: number | null, minutesAgo = 0) =>
    tell('availability_changed', supplier_id, {
      as_of: iso(minutesAgo * MINUTE_MS),
      items: made.map(({ supplier_sku }) => ({ supplier_sku, available })),
    });
  const profile = { name: 'Bondi Clay Works', currency: 'AUD', ships_from: { state: 'NSW', country: 'AU' } };
  const told = await tell('profile_published', supplier_id, {
    ...{ ...profile, status: 'active', ...more },
  });
  if (told !== 'applied' || (await publish({})) !== 'applied') throw new Error(`supplier: ${told}`);
  return { supplier_id, items: made, tell, publish, count };
}

export interface Listing {
  readonly listing_id: string;
  readonly product_id: string;
  readonly status: string;
  readonly paused_reasons: readonly string[];
  readonly on_hand_reported: number | null;
  readonly pending: number;
  readonly available: number;
  readonly version: number;
  readonly [key: string]: unknown;
}

/** Lists an item for a new product without stock. */
export async function listItem(
  seller: TestSeller,
  { supplier_item_id }: SupplierItem,
  more: object = {},
): Promise<Listing & { readonly sku: string }> {
  const product = await create(seller, { quantity_on_hand: 0, price_minor: 3_499 });
  const json = { supplier_item_id, product_id: product.product_id, ...more };
  const { status, body, text } = await seller.call<Listing>('POST', '/dropship/listings', { json });
  if (status !== 201) throw new Error(`listing: ${status} ${text}`);
  return { ...body, sku: String(product['seller_sku']) };
}

export const readListing = async (seller: TestSeller, id: string): Promise<Listing> =>
  (await seller.call<Listing>('GET', `/dropship/listings/${id}`)).body;

/** Units on hand, reserved and available. */
export async function unitsOf(seller: TestSeller, productId: string): Promise<readonly (number | null)[]> {
  const { body } = await seller.call<Record<string, number | null>>(
    'GET',
    `/products/${productId}/inventory`,
  );
  return ['quantity_on_hand', 'quantity_reserved', 'quantity_available'].map((name) => body[name] ?? null);
}

/** Waits until the mirror has written these units. */
export async function mirrored(
  seller: TestSeller,
  productId: string,
  units: readonly number[],
): Promise<void> {
  await eventually(
    () => unitsOf(seller, productId),
    (found) => JSON.stringify(found) === JSON.stringify(units),
  );
}
