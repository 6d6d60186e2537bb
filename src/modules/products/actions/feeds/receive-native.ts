/** Takes a feed in the service's own columns, and where stock is imported a store platform's inventory export. */
import { type FeedLimits, feedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedAnswer } from './answer-run.ts';
import { inspectNative } from './inspect-native.ts';
import { inspectStoreInventory } from './inspect-store-inventory.ts';
import { type FeedCtx, type FeedOrder, receiveFeed, wantsAsync } from './receive-feed.ts';
import { receiveUpload, type Upload, type UploadRequest } from './receive-upload.ts';

export interface NativeOrder extends Pick<FeedOrder, 'mode' | 'onError' | 'dryRun'> {
  readonly kind: 'products' | 'inventory';
  /** Set where a store platform's inventory export is taken too: the locations that count, if any were chosen. */
  readonly store?: { readonly locations: string | undefined };
}

export type NativeRequest = UploadRequest & { readonly claim: FeedOrder['claim'] };

/** How the rows of an upload are read. */
async function inspectUpload(upload: Upload, limits: FeedLimits, currency: string, order: NativeOrder) {
  const file =
    order.store === undefined ? null : await inspectStoreInventory(upload, limits, order.store.locations);
  if (file !== null) {
    const { encoding, delimiter } = file.format;
    const detection = { shape: 'store_platform_inventory', locations: file.locations, file };
    return { encoding, delimiter, profile: 'store_platform_products', detection };
  }
  const { messages, encoding, delimiter } = await inspectNative(upload, limits, {
    mode: order.mode,
    currency,
  });
  return { encoding, delimiter, profile: null, detection: messages.length === 0 ? null : { messages } };
}

/** Receives and runs. Throws ApiError 413, 415, 422 of the feed family, and what `receiveFeed` throws. */
export async function receiveNative(
  ctx: FeedCtx,
  request: NativeRequest,
  order: NativeOrder,
): Promise<FeedAnswer> {
  const standing = await ctx.standing();
  const limits = feedLimits(ctx.services.config, standing.plan);
  const async = wantsAsync(request.headers, standing.plan);
  const upload = await receiveUpload(request, limits, ctx.services.config.MAX_SPOOL_BYTES);
  const { kind, mode, onError, dryRun } = order;
  const { claim } = request;
  try {
    const read = await inspectUpload(upload, limits, standing.currency, order);
    return await receiveFeed(ctx, { kind, mode, onError, dryRun, async, upload, limits, claim, ...read });
  } finally {
    await upload.spool[Symbol.asyncDispose]();
  }
}
