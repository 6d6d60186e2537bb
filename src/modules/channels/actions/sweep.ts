/**
 * Compares a store with what was applied of it. What differs becomes a delivery, which the worker decides as any other:
 * so a sweep never overwrites an edit and never brings back units that were sold here.
 * Source: docs/design/channels.md#sweeps.
 */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import type { Ask } from '../adapters/ask-admin.ts';
import { readLevels } from '../adapters/read-levels.ts';
import { readProduct, readProducts } from '../adapters/read-products.ts';
import { compareLevels } from '../domain/compare-levels.ts';
import { differs } from '../domain/compare-product.ts';
import { contentDigest } from '../domain/content-digest.ts';
import type { ProductBody } from '../domain/product-body.ts';
import type { StoreProduct } from '../domain/store-product.ts';
import {
  type ChannelKey,
  type ChannelRow,
  channels,
  locationsOf,
  type SweepFindings,
  touch,
} from '../store/channels.ts';
import { levelsOf } from '../store/levels.ts';
import { linkedAfter, linksOfProducts } from '../store/link-state.ts';
import { addSwept, type SweptDelivery } from '../store/swept-deliveries.ts';
import { askUntil, changeChannel } from './ask-store.ts';
import { levelDelivery } from './look-at-levels.ts';
import { takesPrices } from './seller-standing.ts';

export const SWEEP_JOB = 'channels.sweep';

/** The instants of the store and of the service differ a little, and a page of the store may be some minutes old. */
const OVERLAP_MS = 10 * 60_000;
/** A change as young as this may still be told by a delivery of the store. */
const UNDERWAY_MS = 5 * 60_000;
/** Items of one question about levels. */
const ITEMS_OF_A_PAGE = 50;

interface Sweep {
  readonly services: Services;
  readonly key: ChannelKey;
  readonly channel: ChannelRow;
  /** Whether the store's prices are taken. */
  readonly priced: boolean;
  readonly ask: Ask;
  readonly startedAt: number;
  readonly found: { -readonly [Name in keyof SweepFindings]: SweepFindings[Name] };
}

/** Adds differences as deliveries, unless a delivery about the same object waits. */
async function report({ services, key, channel, startedAt, found }: Sweep, swept: readonly SweptDelivery[]) {
  if (swept.length === 0) return;
  const until = new Date(startedAt - UNDERWAY_MS).toISOString();
  await changeChannel(services, key, async (ctx) => {
    const { added, missed } = await addSwept(ctx, channel, swept, until);
    found.differences += added;
    found.missed += missed;
  });
}

const productDelivery = (product: StoreProduct): SweptDelivery => ({
  topic: 'products/update',
  object_key: `product:${product.external_product_id}`,
  changed_at: product.updated_at,
  body: {
    product,
    variant_ids: product.variants.map(({ external_variant_id: id }) => id),
  } satisfies ProductBody,
});

const deletion = (external_product_id: string): SweptDelivery => ({
  topic: 'products/delete',
  object_key: `product:${external_product_id}`,
  changed_at: null,
  body: null,
});

/**
 * Whether the product is the channel's business. Before the first import is applied, only what is linked or has changed
 * since the connection is: the seller decides about the rest with the preview.
 */
function concerns(
  { channel: { imported_at, connected_at } }: Sweep,
  { updated_at }: StoreProduct,
  links: readonly { readonly state: string }[],
): boolean {
  if (imported_at !== null || links.some(({ state }) => state === 'linked')) return true;
  return updated_at > (connected_at ?? '');
}

async function compareProducts(sweep: Sweep, products: readonly StoreProduct[]): Promise<void> {
  const { services, key, priced } = sweep;
  const { seller_id, channel_id } = key;
  const ids = products.map(({ external_product_id: id }) => id);
  const known = await services.withSellerLong(seller_id, 'read', (db) =>
    linksOfProducts({ db, seller_id }, channel_id, ids),
  );
  const byProduct = Map.groupBy(known, ({ external_product_id: id }) => id);
  sweep.found.compared += products.length;
  const other = products.filter((product) => {
    const links = byProduct.get(product.external_product_id) ?? [];
    return concerns(sweep, product, links) && differs(product, links, contentDigest(product, priced));
  });
  await report(sweep, other.map(productDelivery));
}

/** Compares the levels of items. @returns the items that the store has */
async function compareItems(
  sweep: Sweep,
  items: readonly string[],
  locations: number,
): Promise<ReadonlySet<string>> {
  const { services, key, ask } = sweep;
  const { seller_id, channel_id } = key;
  const said = await readLevels(ask, items, locations);
  const known = await services.withSellerLong(seller_id, 'read', (db) =>
    levelsOf({ db, seller_id }, channel_id, items),
  );
  const { newer, doubtful } = compareLevels(said, known);
  await report(
    sweep,
    [...newer, ...doubtful].map((level) => levelDelivery(level)),
  );
  return said.items;
}

/** An item that the store lacks may be gone with its variant: its product is asked for once more before that counts. */
async function compareMissing(sweep: Sweep, products: ReadonlySet<string>): Promise<void> {
  for (const id of products) {
    const product = await readProduct(sweep.ask, id);
    if (product === undefined) await report(sweep, [deletion(id)]);
    else await compareProducts(sweep, [product]);
  }
}

async function compareLinks(sweep: Sweep): Promise<void> {
  const { services, key, channel } = sweep;
  const { seller_id, channel_id } = key;
  const read = <T>(work: (at: Pick<Acting, 'db' | 'seller_id'>) => Promise<T>): Promise<T> =>
    services.withSellerLong(seller_id, 'read', (db) => work({ db, seller_id }));
  const { length: locations } = await read((at) => locationsOf(at, channel_id));
  for (let after = ''; ; ) {
    const links = await read((at) => linkedAfter(at, channel.channel_id, after, ITEMS_OF_A_PAGE));
    const last = links.at(-1);
    if (last === undefined) return;
    after = last.link_id;
    const items = links.flatMap(({ inventory_item_id: item }) => item ?? []);
    const found = await compareItems(sweep, items, locations);
    const missing = links.filter(({ inventory_item_id: item }) => item === null || !found.has(item));
    await compareMissing(sweep, new Set(missing.map(({ external_product_id: id }) => id)));
  }
}

/**
 * Compares a channel with its store: what changed since the last sweep, or everything.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused; the next sweep then begins where this one began
 */
export async function sweepChannel(
  services: Services,
  key: ChannelKey,
  whole: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { seller_id, channel_id } = key;
  const { channel, priced } = await services.withSellerLong(seller_id, 'read', async (db) => {
    const at = { db, seller_id };
    const row = await channels.find(at, { channel_id });
    return { channel: row, priced: row !== undefined && (await takesPrices(at, row)) };
  });
  if (channel?.status !== 'connected' || channel.inbound !== 'active') return;
  const startedAt = services.now();
  const at = new Date(startedAt).toISOString();
  const found = { at, whole, compared: 0, differences: 0, missed: 0 };
  const ask = askUntil(services, key, channel, signal);
  const sweep = { services, key, channel, priced, ask, startedAt, found };
  const from = Date.parse(channel.watermark ?? channel.created_at) - OVERLAP_MS;
  for await (const page of readProducts(ask, whole ? undefined : new Date(from).toISOString()))
    await compareProducts(sweep, page);
  if (whole) await compareLinks(sweep);
  await changeChannel(services, key, (ctx) =>
    touch(ctx, channel_id, { watermark: at, last_sweep: found, ...(whole && { swept_whole_at: at }) }),
  );
}

/** Lets everything be compared now. */
export const sweepSoon = (ctx: Acting, channel_id: string): Promise<void> =>
  ctx.jobs.add({
    ...{ kind: SWEEP_JOB, payload: { channel_id, whole: true }, uniqueKey: `${channel_id}/true` },
    dueAt: ctx.now(),
  });
