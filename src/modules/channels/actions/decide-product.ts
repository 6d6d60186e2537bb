/**
 * Decides about products that a store sends: which product each variant is, what it takes from the store, and what
 * waits for a person. The channel's row is locked, so the deliveries of a store are decided one after another.
 * Source: docs/design/channels.md#products.
 */
import type { Acting } from '../../../kernel/context.ts';
import { contentDigest } from '../domain/content-digest.ts';
import type { ProductBody } from '../domain/product-body.ts';
import type { StoreProduct } from '../domain/store-product.ts';
import type { ChannelRow } from '../store/channels.ts';
import { type DeliveryRow, lastDecisions, newerWaiting, type Outcome } from '../store/deliveries.ts';
import { areOthersVariants, isLinkedElsewhere, type LinkRow, linksOfProduct } from '../store/links.ts';
import { applyProduct } from './apply-product.ts';
import { loseLinks } from './lose-links.ts';
import { takesPrices } from './seller-standing.ts';

/** The store must be asked for the product first. */
export const ASK_PRODUCT = 'ask_product';

/** The store's answer; undefined: it does not have the product. */
export interface FoundProduct {
  readonly product: StoreProduct | undefined;
}

export const externalIdOf = ({ object_key }: Pick<DeliveryRow, 'object_key'>): string =>
  object_key.slice('product:'.length);

interface Situation {
  readonly ctx: Acting;
  readonly channel: ChannelRow;
  readonly delivery: DeliveryRow;
  readonly links: readonly LinkRow[];
  /** The newest instant of the store that was applied; undefined: none. */
  readonly newest: string | undefined;
}

const isLive = ({ state }: LinkRow): boolean => state !== 'gone';
const newestOf = (links: readonly LinkRow[]): string | undefined =>
  links
    .map(({ external_updated_at: at }) => at)
    .sort()
    .at(-1);

/** Whether other content than this was applied. */
async function isOther(
  ctx: Acting,
  channel: ChannelRow,
  product: StoreProduct,
  links: readonly LinkRow[],
): Promise<boolean> {
  const digest = contentDigest(product, await takesPrices(ctx, channel));
  return links.some((link) => isLive(link) && link.content_sha256 !== digest);
}

/** Whether a body that came before says something else than what was applied of its second: the store is asked then. */
export async function hasChangedBack(
  ctx: Acting,
  channel: ChannelRow,
  delivery: DeliveryRow,
): Promise<boolean> {
  const { product } = (delivery.body ?? {}) as ProductBody;
  if (product === undefined) return false;
  const links = await linksOfProduct(ctx, delivery.channel_id, externalIdOf(delivery));
  return newestOf(links) === product.updated_at && isOther(ctx, channel, product, links);
}

/** Every link of the product goes, unless the store still has the product. */
async function decideDeletion(
  { ctx, channel, delivery, links, newest }: Situation,
  found: FoundProduct | undefined,
): Promise<Outcome | typeof ASK_PRODUCT> {
  const live = links.filter(isLive);
  if (live.length === 0) return { status: 'no_effect', reason: 'product_unknown' };
  const { triggered_at } = delivery;
  if (found === undefined && (triggered_at === null || (newest ?? '') > triggered_at)) return ASK_PRODUCT;
  if (found?.product !== undefined) return { status: 'stale', reason: 'newer_product_applied' };
  const changes = await loseLinks(ctx, channel, live);
  return { status: 'applied', changes };
}

/** Whether a delivery leaves out variants, or does not say whether it does. */
function isShortened({ product, variant_ids }: ProductBody, links: readonly LinkRow[]): boolean {
  const stated = new Set(product?.variants.map(({ external_variant_id: id }) => id));
  if (variant_ids !== undefined) return variant_ids.some((id) => !stated.has(id));
  return links.some((link) => isLive(link) && !stated.has(link.external_variant_id));
}

/** Compares a delivery with what was applied before. @returns undefined if it is to be applied */
async function judge(
  { ctx, channel, delivery, links, newest }: Situation,
  body: ProductBody,
): Promise<Outcome | typeof ASK_PRODUCT | undefined> {
  const { product } = body;
  if (product === undefined) return ASK_PRODUCT;
  const { updated_at } = product;
  const { channel_id } = channel;
  const { object_key } = delivery;
  const newer = await ctx.db.one(newerWaiting(ctx.seller_id, channel_id, object_key, updated_at));
  if (newer !== undefined)
    return {
      status: 'superseded',
      reason: 'newer_waits',
      decision: { newer_delivery_id: newer.delivery_id },
    };
  const decisions = await ctx.db.all(lastDecisions(ctx.seller_id, channel_id, object_key));
  const last = decisions.find(({ topic }) => topic !== 'products/delete');
  const deletion = decisions.find(({ topic }) => topic === 'products/delete');
  const stale = (reason: 'deleted_in_store' | 'newer_product_applied', by: string | undefined): Outcome => ({
    ...{ status: 'stale', reason, decision: by === undefined ? {} : { newer_delivery_id: by } },
  });
  if (deletion !== undefined) {
    const deletedAt = deletion.triggered_at ?? deletion.received_at;
    // What comes later than a deletion is believed only if the store has the product.
    return updated_at > deletedAt ? ASK_PRODUCT : stale('deleted_in_store', deletion.delivery_id);
  }
  if (newest !== undefined && newest > updated_at) return stale('newer_product_applied', last?.delivery_id);
  if (isShortened(body, links)) return ASK_PRODUCT;
  if (newest !== updated_at) return undefined;
  if (await isOther(ctx, channel, product, links)) return ASK_PRODUCT;
  return {
    ...{ status: 'duplicate', reason: 'same_state' },
    decision: last === undefined ? {} : { repeats_delivery_id: last.delivery_id },
  };
}

/** Whether a variant or its item occurs twice, or is that of another product of the store: no store sends this. */
async function hasOthersVariants(
  ctx: Acting,
  channelId: string,
  { external_product_id, variants }: StoreProduct,
  links: readonly LinkRow[],
): Promise<boolean> {
  const ids = variants.map(({ external_variant_id: id }) => id);
  const items = variants.flatMap(({ inventory_item_id: item }) => item ?? []);
  if (new Set(ids).size < ids.length || new Set(items).size < items.length) return true;
  const known = new Set(links.flatMap((link) => [link.external_variant_id, link.inventory_item_id]));
  const added = { ids: ids.filter((id) => !known.has(id)), items: items.filter((item) => !known.has(item)) };
  return (
    added.ids.length + added.items.length > 0 &&
    (await areOthersVariants(ctx, channelId, external_product_id, added))
  );
}

/** @param found the answer of the store, if it was asked */
export async function decideProduct(
  ctx: Acting,
  channel: ChannelRow,
  delivery: DeliveryRow,
  found: FoundProduct | undefined,
): Promise<Outcome | typeof ASK_PRODUCT> {
  const external_product_id = externalIdOf(delivery);
  const { channel_id } = channel;
  if (await isLinkedElsewhere(ctx.db, { channel_id, external_product_id }))
    return { status: 'foreign', reason: 'linked_elsewhere' };
  const links = await linksOfProduct(ctx, channel_id, external_product_id);
  const newest = newestOf(links);
  const situation = { ctx, channel, delivery, links, newest };
  if (delivery.topic === 'products/delete') return decideDeletion(situation, found);
  const body = (delivery.body ?? {}) as ProductBody;
  if (found === undefined) {
    const judged = await judge(situation, body);
    if (judged !== undefined) return judged;
  } else if (found.product === undefined) {
    const live = links.filter(isLive);
    if (live.length === 0) return { status: 'no_effect', reason: 'product_gone' };
    return { status: 'applied', reason: 'product_gone', changes: await loseLinks(ctx, channel, live) };
  } else if (newest !== undefined && newest > found.product.updated_at)
    return { status: 'stale', reason: 'newer_product_applied' };
  const product = found?.product ?? body.product;
  if (product === undefined) return ASK_PRODUCT;
  if (await hasOthersVariants(ctx, channel_id, product, links))
    return { status: 'malformed', reason: 'id_invalid' };
  return applyProduct(ctx, channel, { product, links, create: new Set(body.create) });
}
