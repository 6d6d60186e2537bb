/** Products of connected stores, in tests: bodies at chosen instants, and what became of them. */
import { randomUUID } from 'node:crypto';
import type { NewProduct, Product } from '../../demo/store-platform/catalogue.ts';
import { exactJson } from '../../demo/store-platform/exact-json.ts';
import { productPayload } from '../../demo/store-platform/payloads.ts';
import type { Shop } from '../../demo/store-platform/shop.ts';
import type { TestSeller } from './app.ts';
import { afterJobs } from './jobs.ts';
import { create } from './products.ts';
import { type Decided, logOf, poster } from './store-deliveries.ts';
import { connectStore, type Stores } from './store-platform.ts';
import { linkedGoods } from './store-stock.ts';

export interface Decision extends Decided {
  readonly issue_id: string | null;
  readonly changes: readonly { readonly field: string; readonly before: string; readonly after: string }[];
  readonly messages: readonly { readonly code: string; readonly field?: string }[];
}
export interface StoreIssue {
  readonly issue_id: string;
  readonly kind: string;
  readonly state: string;
  readonly times: number;
  readonly product_id: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly candidates: readonly { readonly product_id: string }[];
  readonly allowed: readonly string[];
}

/** A month ago: instants of the future do not count as they stand. */
const FIRST = Math.floor(Date.now() / 1_000) * 1_000 - 30 * 86_400_000;
/** An instant as the platform writes it. */
export const at = (second: number): string =>
  new Date(FIRST + second * 1_000).toISOString().replace('.000Z', 'Z');

export async function shopOf(stores: Stores, how: Parameters<Stores['seller']>[0] = {}, known?: TestSeller) {
  const seller = known ?? (await stores.seller(how));
  const connected = await connectStore(stores, seller);
  const post = poster(stores);
  const { shop, domain } = connected;
  /** Sends a topic as the store does, and waits until the service has decided. */
  const send = async (topic: string, body: object, second: number): Promise<Decision> => {
    const webhookId = randomUUID();
    const headers = { 'x-shopify-triggered-at': at(second) };
    const { status, text } = await post(exactJson(body), { topic, shop: domain, webhookId, headers });
    if (status !== 200) throw new Error(`delivery: ${status} ${text}`);
    const found = await afterJobs(
      stores,
      async () => (await logOf(seller)).find(({ webhook_id }) => webhook_id === webhookId),
      (one) => one !== undefined && one.status !== 'received',
    );
    return found as Decision;
  };
  return {
    ...{ ...connected, seller, post, send },
    /** Adds a product to the store at an instant. Nothing is sent. */
    stock: (product: NewProduct, second = 0): Product => {
      const made = shop.catalogue.addProduct(product);
      return change(shop, made.id, {}, second);
    },
    /** Changes a product in the store at an instant, and sends it. */
    update: (product: Product, edit: Partial<Product>, second: number) =>
      send('products/update', productPayload(change(shop, product.id, edit, second)), second),
    remove: (product: Product, second: number) => {
      shop.catalogue.products.delete(product.id);
      return send('products/delete', { id: product.id }, second);
    },
  };
}

/** Changes a product of the store at an instant, without a delivery. */
export function change(shop: Shop, id: bigint, edit: Partial<Product>, second: number): Product {
  const after = { ...shop.catalogue.changeProduct(id, edit), updated_at: at(second) };
  shop.catalogue.products.set(id, after);
  return after;
}

export const createBody = productPayload;

/** Another price or SKU of the first variant. */
export const firstVariant = ({ variants }: Product, edit: Partial<Product['variants'][number]>) => ({
  variants: variants.map((variant, index) => (index === 0 ? { ...variant, ...edit } : variant)),
});

export const issuesOf = async ({ call }: TestSeller, query = '') =>
  (await call<{ data: StoreIssue[] }>('GET', `/channels/issues?limit=200&${query}`)).body.data;

export interface Shown {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly status: string;
  readonly price_minor: number | null;
  readonly version: number;
  readonly [name: string]: unknown;
}
export const productsOf = async ({ call }: TestSeller): Promise<Shown[]> =>
  (await call<{ data: Shown[] }>('GET', '/products?limit=200')).body.data.toReversed();

/** A valid barcode of a product of its own. */
let codes = 0;
export function barcode(): string {
  codes += 1;
  const body = `93${String(process.pid % 10_000).padStart(4, '0')}${String(codes).padStart(6, '0')}`;
  const sum = [...body].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

export interface ShownLink {
  readonly link_id: string;
  readonly product_id: string | null;
  readonly state: string;
  readonly linked_by: string | null;
  readonly external: { readonly variant_id: string };
  readonly fields: readonly {
    readonly field: string;
    readonly store: string | null;
    readonly here: string | null;
    readonly base: string | null;
    readonly in_step: boolean;
    readonly issue_id: string | null;
  }[];
  readonly version: number;
}
export const linksOf = async ({ call }: TestSeller, channelId: string, query = '') =>
  (await call<{ data: ShownLink[] }>('GET', `/channels/${channelId}/links?limit=200&${query}`)).body.data;

/** A store that sends a variant whose SKU a product with another code has. */
export async function conflictIn(shop: Awaited<ReturnType<typeof shopOf>>) {
  const sku = `SAME-${randomUUID().slice(0, 8)}`;
  const identity = { strategy: 'global_id', value: barcode() };
  const product = await create(shop.seller, { seller_sku: sku, identity });
  const made = shop.stock({ title: 'Another mug', variants: [{ sku, barcode: barcode() }] });
  const decision = await shop.send('products/create', createBody(made), 0);
  const [link] = await linksOf(shop.seller, shop.channel_id, `external_product_id=${made.id}`);
  return {
    ...{ made, decision, product_id: product.product_id, issue_id: decision.issue_id ?? '' },
    link_id: link?.link_id ?? '',
  };
}

/** Requests about variants of one store, because a seller has at most five. */
export function storeSendings(stores: Stores, sellerOf: () => TestSeller) {
  let shop: ReturnType<typeof shopOf> | undefined;
  const store = () => (shop ??= shopOf(stores, {}, sellerOf()));
  const conflict = async () => conflictIn(await store());
  return {
    'channels.links.update': async () => {
      const { link_id, product_id } = await conflict();
      return { ids: { link_id }, json: { product_id } };
    },
    'channels.stock.set': async () => {
      const own = await store();
      const places = [own.shop.addLocation('Sydney').id];
      return { ids: { link_id: (await linkedGoods(stores, { ...own, places }, [5])).link_id } };
    },
    'channels.issues.resolve': async () => ({ ids: { issue_id: (await conflict()).issue_id } }),
  };
}
