/** A supplier of the tests that answers dropship orders by the internal listener only. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { eventually } from './feeds.ts';
import { callInternal } from './internal.ts';
import { type Line, placeOrder } from './orders.ts';
import { type Listing, listItem, mirrored, publishSupplier, type TestSupplier } from './supplier.ts';

export interface DropshipLine {
  readonly order_line_id: string;
  readonly quantities: Readonly<Record<string, number>>;
  readonly [key: string]: unknown;
}
export interface Dropship {
  readonly dropship_order_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly attention: readonly string[];
  readonly lines: readonly DropshipLine[];
  readonly shipments: readonly { readonly shipment_id: string | null; readonly [key: string]: unknown }[];
  readonly version: number;
  readonly [key: string]: unknown;
}

/** The dropship orders of an order. */
export const dropshipsOf = async (seller: TestSeller, orderId: string): Promise<readonly Dropship[]> =>
  (await seller.call<{ data: Dropship[] }>('GET', `/dropship/orders?order_id=${orderId}`)).body.data;

/** Waits until an order has a dropship order that is so. */
export async function dropshipOf(
  seller: TestSeller,
  orderId: string,
  isSo: (dropship: Dropship) => boolean = () => true,
): Promise<Dropship> {
  const [found] = await eventually(
    () => dropshipsOf(seller, orderId),
    ([one]) => one !== undefined && isSo(one),
  );
  if (found === undefined) throw new Error('no dropship order');
  return found;
}

/** Moves the manual clock. */
export async function moveClock(app: TestApp, minutes: number): Promise<void> {
  const now = new Date(app.app.services.now() + minutes * 60_000).toISOString();
  const { status, text } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  if (status !== 200) throw new Error(text);
}

/** Units of the lines of an event by their numbers, or of the first line. */
type Units = number | readonly number[];
const linesOf = (units: Units, line: (quantity: number) => object) =>
  (typeof units === 'number' ? [units] : units).map((quantity, index) => ({
    ...{ line_no: index + 1, ...line(quantity) },
  }));

/** What suppliers say about one dropship order. */
export function supplierOf(app: TestApp, seller: Pick<TestSeller, 'seller_id'>, dropshipOrderId: string) {
  const now = () => new Date(app.app.services.now()).toISOString();
  const event = (type: string, data: object, more: object = {}) => ({
    ...{ specversion: '1.0', id: String(randomUUID()), source: '/marketplace/core', time: now() },
    ...{ type: `marketplace.supplier.dropship_${type}`, subject: dropshipOrderId },
    ...{ sellerid: seller.seller_id, data, ...more },
  });
  const send = async (one: ReturnType<typeof event>): Promise<string> => {
    const [result] = await app.events(one);
    return result?.code ?? result?.status ?? 'none';
  };
  const answerEvent = (accepted: Units, rejected = 0, data: object = {}, more: object = {}) =>
    event(
      'answered',
      {
        ...{ answer_id: randomUUID(), fee_minor: 250, freight_minor: 0, accepted_at: now() },
        lines: linesOf(accepted, (quantity) => ({
          ...{ accepted: quantity, rejected, unit_cost_minor: 1_840 },
          ...(rejected > 0 && { reason: 'out_of_stock' }),
        })),
        ...data,
      },
      more,
    );
  const shipEvent = (units: Units, data: object = {}, more: object = {}) =>
    event(
      'shipped',
      {
        ...{ supplier_shipment_id: randomUUID(), carrier: 'australia_post' },
        ...{ tracking_number: '2JD020603601000931508', shipped_at: now() },
        lines: linesOf(units, (quantity) => ({ quantity })),
        ...data,
      },
      more,
    );
  const cancelEvent = (units: Units, data: object = {}, more: object = {}) =>
    event(
      'cancelled',
      { cancel_id: randomUUID(), lines: linesOf(units, (quantity) => ({ quantity })), ...data },
      more,
    );
  return {
    ...{ answerEvent, shipEvent, cancelEvent, send },
    answer: (...args: Parameters<typeof answerEvent>) => send(answerEvent(...args)),
    ship: (...args: Parameters<typeof shipEvent>) => send(shipEvent(...args)),
    cancel: (...args: Parameters<typeof cancelEvent>) => send(cancelEvent(...args)),
  };
}

/** Units of a count that a listing keeps back unless said otherwise. */
const BUFFER = 5;

export interface DropshipShop {
  readonly seller: TestSeller;
  readonly supplier: TestSupplier;
  readonly listing: Listing & { readonly sku: string };
}

/** A seller with one listing of which so many units are for sale. */
export async function dropshipShop(
  app: TestApp,
  available: number,
  made?: TestSeller,
): Promise<DropshipShop> {
  const seller = made ?? (await app.seller({ plan: 'Big' }));
  const supplier = await publishSupplier(app);
  const listing = await listItem(seller, supplier.items[0] ?? { supplier_item_id: '', supplier_sku: '' });
  await supplier.count(available + BUFFER);
  await mirrored(seller, listing.product_id, [available, 0, available]);
  return { seller, supplier, listing };
}

/** An order with a dropship order that waits to be sent. */
export async function routedOrder(
  app: TestApp,
  { seller, listing }: DropshipShop,
  more: readonly Line[] = [],
) {
  const order_id = await placeOrder(app, seller, [{ sku: listing.sku, quantity: 3 }, ...more]);
  return { order_id, dropship: await dropshipOf(seller, order_id) };
}

/** Requests that succeed, by the ids of their routes. */
export function dropshipSendings(app: TestApp, sellerOf: () => TestSeller) {
  const item = async () => {
    const [first] = (await publishSupplier(app)).items;
    return { supplier_item_id: first?.supplier_item_id ?? '' };
  };
  const body = async () => ({ ...(await item()), product: { seller_sku: randomUUID() } });
  const listing = async () => {
    const { listing_id } = await listItem(sellerOf(), { ...(await item()), supplier_sku: '' });
    return { ids: { listing_id } };
  };
  return {
    'dropship.listings.create': async () => ({ json: await body() }),
    'dropship.listings.write': async () => ({ json: { items: [await body()] } }),
    'dropship.listings.update': listing,
    'dropship.listings.pause': listing,
    'dropship.listings.resume': async () => {
      const sending = await listing();
      await sellerOf().call('POST', `/dropship/listings/${sending.ids.listing_id}/pause`, { json: {} });
      return sending;
    },
    'dropship.listings.end': listing,
    'dropship.orders.take_over': async () => {
      const { dropship } = await routedOrder(app, await dropshipShop(app, 9, sellerOf()));
      return { ids: { dropship_order_id: dropship.dropship_order_id } };
    },
  };
}

/** Ids of objects by the names of the parameters. */
export async function dropshipObjects(app: TestApp, seller: TestSeller): Promise<Record<string, string>> {
  const shop = await dropshipShop(app, 9, seller);
  const { dropship } = await routedOrder(app, shop);
  return { listing_id: shop.listing.listing_id, dropship_order_id: dropship.dropship_order_id };
}
