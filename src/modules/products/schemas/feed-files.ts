/** What files of feeds and exports hold, for the description of the API; the readers decide what is accepted. */
import Type, { type TSchema } from 'typebox';
import type { MediaDoc } from '../../../kernel/route.ts';
import { columnContract } from '../domain/native-feed/column-contract.ts';

const columns: Readonly<Record<string, TSchema>> = Object.fromEntries(
  columnContract()
    // Columns with a free part in their name, for example attributes.<name>, are the additional properties.
    .filter(({ name }) => /^[a-z_0-9]+$/.test(name))
    .map(({ name, rule }) => [name, Type.Optional(Type.Unknown({ description: rule }))]),
);

const FeedRow = Type.Object(columns, {
  title: 'FeedRow',
  description:
    'One row of a JSON feed: flat, with the column names of a CSV feed. Amounts are decimal text such as "24.99" and may be numbers. Further columns such as `attributes.colour` are allowed.',
  additionalProperties: true,
});

const rows = Type.Array(FeedRow, { description: 'The rows of the feed', minItems: 1 });
const JsonFeed = Type.Union([rows, Type.Object({ rows }, { description: 'The rows under a key' })], {
  title: 'JsonFeed',
  description: 'A feed as JSON: a list of rows, or an object with the list under `rows`.',
});

export const PRODUCT_CSV =
  'seller_sku,title,price,quantity,identity_strategy,exempt_reason\nMUG-BLU,Blue mug,24.99,12,exempt,handmade\n';
const PRODUCT_ROW = {
  seller_sku: 'MUG-BLU',
  title: 'Blue mug',
  price: '24.99',
  quantity: 12,
  identity_strategy: 'exempt',
  exempt_reason: 'handmade',
};
export const STOCK_CSV = 'seller_sku,quantity\nMUG-BLU,25\n';
const STOCK_ROW = { seller_sku: 'MUG-BLU', quantity: 25 };

type Media = Readonly<Record<string, MediaDoc>>;
const feedMedia = (csv: string, row: object): Media => ({
  'text/csv': { example: csv },
  'text/tab-separated-values': { example: csv.replaceAll(',', '\t') },
  'application/json': { schema: JsonFeed, example: [row] },
  'application/x-ndjson': { example: `${JSON.stringify(row)}\n` },
});

export const PRODUCT_FEED_MEDIA = feedMedia(PRODUCT_CSV, PRODUCT_ROW);
export const STOCK_FEED_MEDIA = feedMedia(STOCK_CSV, STOCK_ROW);

/** Exports as the file of a platform gave them; a JSON file is none of those that platforms export. */
export const PROFILE_MEDIA: Media = {
  'application/json': {
    schema: Type.Unknown({ description: 'No platform exports JSON; it is not recognised' }),
  },
};

const file = (csv: string, row: object, schema: TSchema): Media => ({
  'text/csv': { example: csv },
  'application/json': { schema: Type.Array(schema, { description: 'All rows' }), example: [row] },
  'application/x-ndjson': { example: `${JSON.stringify(row)}\n` },
});
const ExportedRow = Type.Object(columns, {
  title: 'ExportedProduct',
  description: 'A product as a row with the columns of the feed contract; it can be fed back.',
  additionalProperties: true,
});
export const PRODUCT_EXPORT_MEDIA = file(PRODUCT_CSV, PRODUCT_ROW, ExportedRow);
const ExportedStock = Type.Object(
  {
    seller_sku: Type.String(),
    quantity: Type.Optional(Type.Unknown({ description: 'Units on hand' })),
    reorder_point: Type.Optional(Type.Unknown()),
  },
  { title: 'ExportedStock', description: 'The stock of a product as a row.', additionalProperties: true },
);
export const STOCK_EXPORT_MEDIA = file(STOCK_CSV, STOCK_ROW, ExportedStock);

export const ROW_RESULTS_MEDIA: Media = {
  'text/csv': { example: 'seller_sku,title,price\nMUG-RED,Red mug,12;50\n' },
};
