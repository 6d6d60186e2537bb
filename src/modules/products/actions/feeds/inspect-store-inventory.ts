import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { findStoreInventory } from '../../domain/profiles/detection/find-header.ts';
import {
  inventoryLocations,
  type StoreInventoryFile,
} from '../../domain/profiles/store-platform/inventory.ts';
import { feedErrors, feedFailure } from '../../feed-errors.ts';
import type { Upload } from './receive-upload.ts';

/** Between names of locations: no location of the platform has one in its name. */
const SEPARATOR = '|';

/**
 * Looks whether an uploaded stock file is a store platform's inventory export.
 *
 * @param chosen names of the locations whose stock counts, joined by `|`; absent for all
 * @returns how to read it, `null` for a file in the service's own columns
 * @throws ApiError 422 `feed_validation_failed` for a location that the file does not name
 */
export async function inspectStoreInventory(
  upload: Upload,
  limits: FeedLimits,
  chosen: string | undefined,
): Promise<StoreInventoryFile | null> {
  const open = () => upload.spool.read();
  const found = await findStoreInventory(open, limits);
  if (found === null) return null;
  const locations = chosen?.split(SEPARATOR).map((name) => name.trim()) ?? null;
  const file: StoreInventoryFile = { ...found, locations };
  if (locations === null) return file;
  const named = await inventoryLocations(open, file);
  const unknown = locations.find((name) => !named.includes(name));
  if (unknown === undefined) return file;
  throw feedFailure(feedErrors.feed_validation_failed, {
    code: 'location_unknown',
    detail: `The file names no location "${unknown}".`,
    limits,
    facts: { locations: named.slice(0, 200) },
  });
}
