/** Receives a feed in the service's own columns; a stock import also takes a store platform's inventory export. */
import type { RouteResult } from '../../../../kernel/route.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { findStoreInventory } from '../../domain/profiles/detection/find-header.ts';
import {
  inventoryLocations,
  type StoreInventoryFile,
} from '../../domain/profiles/store-platform/inventory.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import { inspectNative } from './inspect-native.ts';
import { type FeedCtx, type FeedOrder, type FeedRequest, receiveFeed } from './receive-feed.ts';
import type { Upload } from './receive-upload.ts';

export interface NativeOrder extends Pick<FeedOrder, 'mode' | 'onError' | 'dryRun'> {
  readonly kind: 'products' | 'inventory';
  /** Set where a store platform's inventory export is taken too: names of the chosen locations, joined by `|`. */
  readonly store?: { readonly locations: string | undefined };
}

/**
 * Checks whether a stock file is a store platform's inventory export.
 *
 * @param chosen names of the locations whose stock counts; absent: all
 * @returns how to read it; `null` for a file in the service's own columns
 * @throws ApiError 422 `feed_validation_failed` for an unknown location
 */
async function inspectStoreInventory(
  upload: Upload,
  limits: FeedLimits,
  chosen: string | undefined,
): Promise<StoreInventoryFile | null> {
  const open = () => upload.spool.read();
  const found = await findStoreInventory(open, limits);
  if (found === null) return null;
  const locations = chosen?.split('|').map((name) => name.trim()) ?? null;
  const file: StoreInventoryFile = { ...found, locations };
  if (locations === null) return file;
  const known = await inventoryLocations(open, file);
  const unknown = locations.find((name) => !known.includes(name));
  if (unknown === undefined) return file;
  throw feedFailure(feedErrors.feed_validation_failed, {
    code: 'location_unknown',
    detail: `The file names no location "${unknown}".`,
    limits,
    facts: { locations: known.slice(0, 200) },
  });
}

/** @throws ApiError 413, 415, 422 of the feed family, and what `receiveFeed` throws */
export function receiveNative(
  ctx: FeedCtx,
  request: FeedRequest,
  { store, ...order }: NativeOrder,
): Promise<RouteResult<never>> {
  return receiveFeed(ctx, request, async (upload, limits, currency) => {
    const file = store === undefined ? null : await inspectStoreInventory(upload, limits, store.locations);
    if (file !== null) {
      const { encoding, delimiter } = file.format;
      const detection = { shape: 'store_platform_inventory', locations: file.locations, file };
      return { ...order, encoding, delimiter, profile: 'store_platform_products', detection };
    }
    const { messages, encoding, delimiter } = await inspectNative(upload, limits, {
      mode: order.mode,
      currency,
    });
    return {
      ...order,
      encoding,
      delimiter,
      profile: null,
      detection: messages.length === 0 ? null : { messages },
    };
  });
}
