/** Suppliers of the tests of sourcing: they publish themselves and answer requests for quotation. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestApp, TestSeller } from './app.ts';
import { orderEvent, type Timed } from './orders.ts';

type App = Timed & Pick<TestApp, 'events'>;
export interface Supplier {
  readonly supplier_id: string;
  readonly name: string;
  readonly supplier_item_id: string;
  readonly supplier_sku: string;
}
export interface Rfq {
  readonly rfq_id: string;
  readonly status: string;
  readonly quotes: number;
  readonly version: number;
  readonly reply_by: string;
  readonly code?: string;
  readonly [field: string]: unknown;
}
export interface Quote {
  readonly quote_id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

const DAY_MS = 86_400_000;
export const ahead = ({ app }: Timed, ms: number): string => new Date(app.services.now() + ms).toISOString();
const idOf = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 26)}`;

/** Sends an event of suppliers. @returns the status or the code of a rejection */
async function told(app: App, event: Record<string, unknown>): Promise<string> {
  const [result] = await app.events(event);
  return result?.code ?? result?.status ?? 'none';
}

const ITEM = {
  ...{ title: 'Stoneware mug, blue', brand: 'Bondi Clay', mpn: 'BC-1', category: 'Home > Kitchen > Mugs' },
  ...{ pack_size: 12, minimum_quantity: 48, maximum_quantity: null, status: 'active' },
  price_breaks: [{ min_quantity: 48, pack_price_minor: 6_180 }],
};

/** Publishes the profile of a supplier. */
export async function tellProfile(
  app: App,
  { supplier_id, name }: Pick<Supplier, 'supplier_id' | 'name'>,
  more: object = {},
) {
  const data = {
    ...{ name, about: 'Stoneware.', currency: 'AUD', categories: ['Home > Kitchen'], status: 'active' },
    ...{ ships_from: { state: 'NSW', country: 'AU' }, payment_terms: 'net_14', ...more },
  };
  const type = 'supplier.profile_published';
  const { sellerid: _, ...event } = orderEvent(app, { seller_id: '' }, type, supplier_id, data);
  const status = await told(app, event);
  if (status !== 'applied') throw new Error(`profile: ${status}`);
}

/** Publishes items of a supplier: its own item with changes, or others. */
export async function sellItems(
  app: App,
  { supplier_id, name: _, ...own }: Supplier,
  items: readonly object[],
) {
  const data = { items: items.map((one) => ({ ...ITEM, ...own, ...one })) };
  const { sellerid: _none, ...event } = orderEvent(
    ...([app, { seller_id: '' }, 'supplier.items_published', supplier_id, data] as const),
  );
  const status = await told(app, event);
  if (status !== 'applied') throw new Error(`items: ${status}`);
}

/** A supplier with one item, in packs of 12 from 48 units on. */
export async function newSupplier(app: App, more: object = {}, item: object = {}): Promise<Supplier> {
  const supplier_id = idOf('sup');
  const supplier = { supplier_id, name: `Works ${supplier_id.slice(4, 12)}` };
  await tellProfile(app, supplier, more);
  const sold = { supplier_item_id: idOf('sit'), supplier_sku: `SKU-${supplier_id.slice(4, 12)}` };
  await sellItems(app, { ...supplier, ...sold }, [item]);
  return { ...supplier, ...sold };
}

/** A request for 100 units in words, to be answered within five days. */
export const rfqBody = (app: Timed, suppliers: readonly Supplier[], more: object = {}): object => ({
  title: 'Mugs for winter',
  lines: [{ description: 'Stoneware mug, blue', quantity: 100 }],
  suppliers: suppliers.map(({ supplier_id }) => supplier_id),
  reply_by: ahead(app, 5 * DAY_MS),
  ship_to: { state: 'NSW', postcode: '2000' },
  ...more,
});
export const postRfq = (app: Timed, seller: TestSeller, suppliers: readonly Supplier[], more: object = {}) =>
  seller.call<Rfq>('POST', '/sourcing/rfqs', { json: rfqBody(app, suppliers, more) });
export async function makeRfq(
  app: Timed,
  seller: TestSeller,
  suppliers: readonly Supplier[],
  more: object = {},
) {
  const { status, body, text } = await postRfq(app, seller, suppliers, more);
  if (status !== 201) throw new Error(`rfq: ${status} ${text}`);
  return body;
}
type Named = Pick<Rfq, 'rfq_id'>;
export const moveRfq = (seller: TestSeller, { rfq_id }: Named, verb: string): Promise<Answer<Rfq>> =>
  seller.call<Rfq>('POST', `/sourcing/rfqs/${rfq_id}/${verb}`, { json: {} });
export async function openRfq(
  app: Timed,
  seller: TestSeller,
  suppliers: readonly Supplier[],
  more: object = {},
) {
  const { status, body, text } = await moveRfq(seller, await makeRfq(app, seller, suppliers, more), 'open');
  if (status !== 200) throw new Error(`open: ${status} ${text}`);
  return body;
}
export const readRfq = async (seller: TestSeller, { rfq_id }: Named): Promise<Rfq> =>
  (await seller.call<Rfq>('GET', `/sourcing/rfqs/${rfq_id}`)).body;
export const quotesOf = async (
  seller: TestSeller,
  { rfq_id }: Named,
  query = '',
): Promise<readonly Quote[]> =>
  (await seller.call<{ data: Quote[] }>('GET', `/sourcing/rfqs/${rfq_id}/quotes${query}`)).body.data;

/** A line of a quote: packs of 12 from 24 units on, 59.40 a pack. */
export const quotedLine = ({ supplier_sku }: Supplier, more: object = {}): object => ({
  ...{ line_no: 1, supplier_sku, pack_size: 12, minimum_quantity: 24, maximum_quantity: null },
  ...{ price_breaks: [{ min_quantity: 24, pack_price_minor: 5_940 }], lead_time_days: 4, ...more },
});
/** `supplier.quoted`, valid for ten days. */
export const quoteEvent = (
  app: Timed,
  seller: Pick<TestSeller, 'seller_id'>,
  { rfq_id }: Named,
  supplier: Supplier,
  more: object = {},
  envelope: object = {},
) => {
  const data = {
    ...{ supplier_id: supplier.supplier_id, quote_ref: 'q-1', valid_until: ahead(app, 10 * DAY_MS) },
    ...{ lines: [quotedLine(supplier)], freight_minor: 3_850, note: 'Ex stock.', ...more },
  };
  return orderEvent(app, seller, 'supplier.quoted', rfq_id, data, envelope);
};
export const quote = (...told_: Parameters<typeof quoteEvent>): Promise<string> =>
  told(told_[0] as App, quoteEvent(...told_));
/** `supplier.quote_withdrawn`; without a reference the supplier declines. */
export const withdrawalEvent = (
  app: Timed,
  seller: Pick<TestSeller, 'seller_id'>,
  { rfq_id }: Named,
  { supplier_id }: Supplier,
  quote_ref: string | null = null,
  envelope: object = {},
) => {
  const data = { supplier_id, quote_ref, reason: 'Out of clay.' };
  return orderEvent(app, seller, 'supplier.quote_withdrawn', rfq_id, data, envelope);
};
export const withdrawQuote = (...told_: Parameters<typeof withdrawalEvent>): Promise<string> =>
  told(told_[0] as App, withdrawalEvent(...told_));

/** Ids of an open request. */
export async function rfqObjects(app: App, seller: TestSeller): Promise<Record<string, string>> {
  return { rfq_id: (await openRfq(app, seller, [await newSupplier(app)])).rfq_id };
}

/** Requests of write routes by their ids. */
export function rfqSendings(app: App, sellerOf: () => TestSeller) {
  const draft = async () => {
    const { rfq_id } = await makeRfq(app, sellerOf(), [await newSupplier(app)]);
    return { ids: { rfq_id } };
  };
  return {
    'sourcing.rfqs.create': async () => ({ json: rfqBody(app, [await newSupplier(app)]) }),
    ...{ 'sourcing.rfqs.update': draft, 'sourcing.rfqs.delete': draft, 'sourcing.rfqs.open': draft },
    'sourcing.rfqs.withdraw': async () => ({ ids: await rfqObjects(app, sellerOf()) }),
    'sourcing.rfqs.award': async () => {
      const supplier = await newSupplier(app);
      const { rfq_id } = await openRfq(app, sellerOf(), [supplier]);
      await quote(app, sellerOf(), { rfq_id }, supplier);
      const [one] = await quotesOf(sellerOf(), { rfq_id });
      return { ids: { rfq_id }, json: { lines: [{ line_no: 1, quote_id: one?.quote_id, quantity: 24 }] } };
    },
  };
}
