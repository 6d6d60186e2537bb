import type { RecordLimits } from '../../../../../kernel/readers/records.ts';
import { sniffEncoding } from '../../../../../kernel/readers/sniff-encoding.ts';
import type { StoreInventoryFile } from '../store-platform/inventory.ts';
import type { OpenFile } from './dialects.ts';
import { findHeader } from './find-header.ts';
import { ACCEPTED_SCORE } from './score-header.ts';

/**
 * Tells whether a file is a store platform's inventory export, and how to read it: by the same rules by which
 * detection names that shape.
 *
 * @returns `null` for every other file
 */
export async function findStoreInventory(
  open: OpenFile,
  limits: RecordLimits,
): Promise<Omit<StoreInventoryFile, 'locations'> | null> {
  const sniffed = await sniffEncoding(open());
  if (sniffed.magic !== undefined) return null;
  const { other } = await findHeader(open, sniffed.encoding, limits);
  if (other?.pattern.code !== 'store_platform_inventory' || other.result.score < ACCEPTED_SCORE) return null;
  return { format: other.format, header: other.head.record.cells, header_record: other.head.number };
}
