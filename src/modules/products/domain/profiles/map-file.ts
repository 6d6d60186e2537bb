/** Maps a whole file, streaming, exactly as detection read it. */
import type { FeedRow } from '../row.ts';
import type { DetectedFile } from './detection/answer.ts';
import { type OpenFile, recordsAfterHeader } from './detection/dialects.ts';
import type { MapperContext } from './profile.ts';
import { PROFILES } from './profiles.ts';

/**
 * Yields the rows of a file in batches, in file order, numbered from 1 after the header. Memory is bounded by
 * the row limit and the largest group of records that make one product.
 *
 * @param context choices in it come before those that were made at detection
 */
export async function* mapFile(
  open: OpenFile,
  file: DetectedFile,
  context: Omit<MapperContext, 'delimiter'>,
): AsyncGenerator<FeedRow[]> {
  const { delimiter } = file.format;
  const mapper = PROFILES[file.profile].createMapper(file.header, { ...file.choices, ...context, delimiter });
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    const rows = batch.flatMap((record) => mapper.push(record));
    if (rows.length > 0) yield rows;
  }
  const rest = mapper.end();
  if (rest.length > 0) yield rest;
}
