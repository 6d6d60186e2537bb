/** Settings of feeds, images and curation: limits of size and time, how long evidence is kept, what is reviewed. */
import type { Configuration } from '../../kernel/context.ts';
import { defineSettings, integer, MiB, setting } from '../../kernel/setting.ts';
import { mediaUrlBase } from './domain/images/media-url.ts';
import { REVIEWED_FIELDS, type ReviewedField } from './domain/product.ts';

/** In the order of {@link REVIEWED_FIELDS}; `undefined` when a name is unknown or there is none. */
function parseReviewedFields(value: string): readonly ReviewedField[] | undefined {
  const names = value.split(',').map((name) => name.trim());
  const fields = REVIEWED_FIELDS.filter((field) => names.includes(field));
  return names.every((name) => fields.some((field) => field === name)) ? fields : undefined;
}

export const productSettings = defineSettings({
  MAX_FEED_BYTES: integer(
    'Maximum size of a feed file in bytes, after decompression',
    1_024,
    1_024 * MiB,
    64 * MiB,
  ),
  MAX_FEED_ROWS: integer('Maximum number of rows in a feed, for any plan', 1, 1_000_000, 100_000),
  MAX_ROW_BYTES: integer('Maximum size of a row in bytes', 1_024, 16 * MiB, 1 * MiB),
  MAX_CELL_BYTES: integer('Maximum size of a cell in bytes', 256, 16 * MiB, 128 * 1024),
  MAX_COLUMNS: integer('Maximum number of columns', 8, 10_000, 512),
  MAX_SYNC_SECONDS: integer('Time limit of a synchronous feed run in seconds', 1, 600, 60),
  MAX_ASYNC_SECONDS: integer('Time limit of an asynchronous feed run in seconds', 1, 7_200, 900),
  MAX_IMAGE_BYTES: integer('Maximum size of an uploaded image in bytes', 1_024, 64 * MiB, 10 * MiB),
  EVIDENCE_RETENTION_DAYS: integer('Days for which row results and uploaded files are kept', 1, 3_650, 90),
  CURATION_REVIEWED_FIELDS: setting({
    doc: 'Fields of a product whose changes the marketplace reviews before buyers see them',
    allowed: `one or more of ${REVIEWED_FIELDS.join(', ')}, separated by commas`,
    parse: parseReviewedFields,
    fallback: REVIEWED_FIELDS as readonly ReviewedField[],
  }),
});

/** What the addresses of uploaded images begin with. */
export const mediaUrl = (config: Configuration): string => mediaUrlBase(String(config['PUBLIC_URL']));

export const reviewedFields = (config: Configuration): readonly ReviewedField[] =>
  productSettings.of(config).CURATION_REVIEWED_FIELDS;
