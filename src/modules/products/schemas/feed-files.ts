/** Describes the files of feeds and exports. The readers, not these schemas, decide what is accepted. */
import Type, { type TSchema } from 'typebox';
import type { MediaDoc } from '../../../kernel/route.ts';
import { columnContract } from '../domain/native-feed/column-contract.ts';

/** Cells are text. Feeds read numbers as text and null as an empty cell. */
const CELL = ['string', 'number', 'null'] as const;

const columns: Readonly<Record<string, TSchema>> = Object.fromEntries(
  columnContract()
    // Columns with a variable name, for example attributes.<name>, are additional properties.
    .filter(({ name }) => /^[a-z_0-9]+$/.test(name))
    .map(({ name, type, rule }) => {
      const cell =
        type === 'list of addresses'
          ? { type: [...CELL, 'array'], items: { type: 'string' } }
          : { type: CELL };
      return [name, Type.Optional(Type.Unsafe<unknown>({ ...cell, description: rule }))];
    }),
);

const FeedRow = Type.Object(columns, {
  title: 'FeedRow',
  description:
    'A row of a JSON feed: a flat object with the column names of a CSV feed. Amounts are decimal text such as "24.99", or numbers. Columns such as `attributes.colour` are allowed.',
  additionalProperties: true,
});

const rows = Type.Array(FeedRow, { description: 'The rows of the feed', minItems: 1 });
const JsonFeed = Type.Union([rows, Type.Object({ rows }, { description: 'An object with the rows' })], {
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

/** An export file of another platform. */
export const PROFILE_CSV = 'Handle,Title,Variant SKU,Variant Price\nblue-mug,Blue mug,MUG-BLU,24.99\n';
export const PROFILE_MEDIA: Media = {
  'text/csv': { example: PROFILE_CSV },
  'text/tab-separated-values': { example: PROFILE_CSV.replaceAll(',', '\t') },
};

const file = (csv: string, row: object, schema: TSchema, title: string): Media => ({
  'text/csv': { example: csv },
  'application/json': { schema: Type.Array(schema, { title, description: 'All rows' }), example: [row] },
  'application/x-ndjson': { example: `${JSON.stringify(row)}\n` },
});
/** A seller can send an exported product back as a feed, so it is a row of a feed. */
export const PRODUCT_EXPORT_MEDIA = file(PRODUCT_CSV, PRODUCT_ROW, FeedRow, 'ExportedProducts');
const ExportedStock = Type.Object(
  {
    seller_sku: Type.String(),
    quantity: Type.Optional(Type.Unsafe<unknown>({ type: CELL, description: 'Units on hand' })),
    reorder_point: Type.Optional(Type.Unsafe<unknown>({ type: CELL })),
  },
  { title: 'ExportedStock', description: 'The stock of a product as a row.', additionalProperties: true },
);
export const STOCK_EXPORT_MEDIA = file(STOCK_CSV, STOCK_ROW, ExportedStock, 'ExportedStocks');

export const ROW_RESULTS_MEDIA: Media = {
  'text/csv': { example: 'seller_sku,title,price\nMUG-RED,Red mug,12;50\n' },
};
