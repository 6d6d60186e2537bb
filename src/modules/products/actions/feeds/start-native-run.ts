/** Starts the run of a native file. A stock import also accepts a store platform's inventory export. */
import type { RouteResult } from '../../../../kernel/route.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { findStoreInventory } from '../../domain/profiles/detection/find-header.ts';
import {
  inventoryLocations,
  type StoreInventoryFile,
} from '../../domain/profiles/store-platform/inventory.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import { inspectNative } from './inspect-native.ts';
import type { Upload } from './spool-upload.ts';
import { type FeedOptions, type FeedRequest, startRun } from './start-run.ts';

interface NativeOptions extends Pick<FeedOptions, 'mode' | 'onError' | 'dryRun'> {
  readonly kind: 'products' | 'inventory';
  /** Set when a store platform's inventory export is accepted too; `locations` are names joined by `|`. */
  readonly store?: { readonly locations: string | undefined };
}

/**
 * Checks whether a stock file is a store platform's inventory export.
 *
 * @param chosen names of the locations whose stock counts, joined by `|`; all by default
 * @returns how to read it; `null` for a file in the service's own columns
 * @throws ApiError 422 for an unknown location
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
    detail: `The file has no location "${unknown}".`,
    limits,
    facts: { locations: known.slice(0, 200) },
  });
}

/** @throws ApiError 413, 415, 422, and those of `startRun` */
export function startNativeRun(
  ctx: HandlerCtx,
  request: FeedRequest,
  { store, ...options }: NativeOptions,
): Promise<RouteResult<never>> {
  return startRun(ctx, request, async (upload, limits, currency) => {
    const file = store === undefined ? null : await inspectStoreInventory(upload, limits, store.locations);
    if (file !== null) {
      const { encoding, delimiter } = file.format;
      const detection = { shape: 'store_platform_inventory', locations: file.locations, file };
      return { ...options, encoding, delimiter, profile: 'store_platform_products', detection };
    }
    const { messages, encoding, delimiter } = await inspectNative(upload, limits, {
      mode: options.mode,
      currency,
    });
    return {
      ...options,
      encoding,
      delimiter,
      profile: null,
      detection: messages.length === 0 ? null : { messages },
    };
  });
}
