/**
 * A column that a later file lacks means what it said last: the file has the effect of the same file with the earlier
 * cells in this column (docs/design/feeds-and-imports.md#import-profiles).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detect, openText } from '../../../../../test/fixtures/profiles/profile-files.ts';
import { Catalogue, importRows } from '../../test/import-rows.ts';
import type { CatalogueProduct } from '../product.ts';
import type { ProfileName } from './profile.ts';
import { mapFile } from './profiles.ts';

type Cells = Readonly<Record<string, string>>;
/** Column → the cells that its rows may have. */
type Pools = Readonly<Record<string, readonly string[]>>;
interface Shape {
  readonly delimiter: string;
  /** The cells that name each listing. */
  readonly listings: readonly Cells[];
  /** Columns that every file has. */
  readonly kept: Pools;
  /** Columns that a file may lack. */
  readonly free: Pools;
}

const VARIATION = { 'VARIATION 1 TYPE': '', 'VARIATION 1 NAME': '', 'VARIATION 1 VALUES': '' };
const SHAPES: Partial<Record<ProfileName, Shape>> = {
  store_platform_products: {
    delimiter: ',',
    listings: [
      { Handle: 'tee', 'Option1 Value': 'S', 'Option2 Value': 'Red', 'Variant Barcode': '9312345678907' },
      { Handle: 'cap', 'Option1 Value': 'M', 'Option2 Value': 'Blue', 'Variant Barcode': '9312345678914' },
    ],
    kept: { Title: ['A', 'B'], 'Variant Price': ['5.00', '7.00'], Published: ['TRUE'] },
    free: {
      'Option1 Name': ['Size'],
      'Option2 Name': ['Colour'],
      'Variant SKU': ['*'],
      'Body (HTML)': ['<p>a</p>', 'b'],
      Vendor: ['Wattle', 'Foundry'],
      'Product Category': ['A > B', 'A > C'],
      Type: ['Shirt', 'Hat'],
      Tags: ['a', 'b'],
      'Variant Grams': ['100', '200'],
      'Variant Inventory Tracker': ['shopify'],
      'Variant Inventory Qty': ['5', '9'],
      'Variant Inventory Policy': ['deny', 'continue'],
      'Variant Compare At Price': ['', '20.00'],
      'Google Shopping / Condition': ['new', 'used'],
      Status: ['active', 'draft', 'archived'],
    },
  },
  marketplace_listings: {
    delimiter: '\t',
    listings: [
      { 'seller-sku': 'A', 'listing-id': 'L1', asin1: 'B01', 'product-id': '9312345678907' },
      { 'seller-sku': 'B', 'listing-id': 'L2', asin1: 'B02', 'product-id': '9312345678914' },
    ],
    kept: { price: ['5.00', '7.00'], quantity: ['4', '6'], 'product-id-type': ['4'], 'open-date': [''] },
    free: {
      'item-name': ['A', 'B'],
      'item-description': ['a', 'b'],
      'item-note': ['a', 'b'],
      'item-condition': ['11', '3'],
      'fulfillment-channel': ['DEFAULT', 'AMAZON_NA'],
      status: ['Active', 'Inactive', 'Incomplete'],
    },
  },
  auction_file_exchange: {
    delimiter: ',',
    listings: [
      { CustomLabel: 'A', 'Product:EAN': '9312345678907' },
      { CustomLabel: 'B', 'Product:EAN': '9312345678914' },
    ],
    kept: {
      Action: ['Add'],
      Title: ['Lamp'],
      Format: ['FixedPrice', 'Auction'],
      BuyItNowPrice: ['25.00', '30.00'],
    },
    free: {
      Category: ['123', '124'],
      'Category name': ['Lamps', 'Pots'],
      ConditionID: ['1000', '3000'],
      Description: ['a', 'b'],
      Quantity: ['5', '6'],
      'Product:Brand': ['Wattle', 'Foundry'],
      'C:Manufacturer': ['Maker', 'Other'],
      'Product:MPN': ['M-1', 'M-2'],
      'C:Colour': ['Red', 'Blue'],
    },
  },
  handmade_listings: {
    delimiter: ',',
    listings: [
      { TITLE: 'Bowl', IMAGE1: 'https://cdn.example.com/bowl.jpg', SKU: 'B', ...VARIATION },
      {
        ...{ TITLE: 'Cup', IMAGE1: 'https://cdn.example.com/cup.jpg', SKU: 'C' },
        ...{ 'VARIATION 1 TYPE': 'Custom', 'VARIATION 1 NAME': 'Glaze', 'VARIATION 1 VALUES': 'Red,Blue' },
      },
    ],
    kept: { CURRENCY_CODE: ['AUD'], MATERIALS: ['clay', 'stone'], PRICE: ['5.00', '7.00'] },
    free: {
      'VARIATION 1 TYPE': ['*'],
      'VARIATION 1 NAME': ['*'],
      'VARIATION 1 VALUES': ['*'],
      DESCRIPTION: ['a', 'b'],
      QUANTITY: ['2'],
      TAGS: ['a', 'b'],
    },
  },
};

/** A file of one row a listing. The cells `*` are those of the listing, or made of its first cell. */
const aFile = ({ listings, kept, free }: Shape): fc.Arbitrary<Cells[]> =>
  fc.tuple(
    ...listings.map((listing) =>
      fc
        .record(
          Object.fromEntries(
            Object.entries({ ...kept, ...free }).map(([column, cells]) => [
              column,
              fc
                .constantFrom(...cells)
                .map((cell) => (cell === '*' ? (listing[column] ?? `SKU-${listing['Handle']}`) : cell)),
            ]),
          ),
        )
        .map((cells): Cells => ({ ...listing, ...cells })),
    ),
  );

const write = (rows: readonly Cells[], delimiter: string, without: readonly string[] = []): string => {
  const header = Object.keys(rows[0] ?? {}).filter((column) => !without.includes(column));
  const cell = (text: string): string => (text.includes(',') ? `"${text}"` : text);
  return [header, ...rows.map((row) => header.map((column) => cell(row[column] ?? '')))]
    .map((cells) => cells.join(delimiter))
    .join('\n');
};

async function importTexts(texts: readonly string[], profile: ProfileName): Promise<object[]> {
  const catalogue = new Catalogue();
  for (const text of texts) {
    const open = openText(text);
    const { file } = await detect(open);
    if (file?.profile !== profile) throw new Error(`not recognised:\n${text}`);
    const rows = (await Array.fromAsync(mapFile(open, file, { seller_currency: 'AUD' }))).flat();
    importRows(rows, catalogue, profile, 'AUD');
  }
  return catalogue.all().map(content);
}

const content = ({ product_id, version, source_row, images, ...rest }: CatalogueProduct) => ({
  ...rest,
  images: images.map(({ url }) => url),
});

it.each(Object.entries(SHAPES))(
  'a column that a file lacks says what it said before: %s',
  async (name, shape) => {
    const profile = name as ProfileName;
    const { delimiter, free } = shape;
    await fc.assert(
      fc.asyncProperty(
        aFile(shape),
        aFile(shape),
        fc.subarray(Object.keys(free), { minLength: 1, maxLength: 3 }),
        async (first, second, absent) => {
          const completed = second.map((row, at) => ({
            ...row,
            ...Object.fromEntries(absent.map((column) => [column, first[at]?.[column] ?? ''])),
          }));
          const before = write(first, delimiter);
          const [less, whole] = await Promise.all([
            importTexts([before, write(second, delimiter, absent)], profile),
            importTexts([before, write(completed, delimiter)], profile),
          ]);
          expect(less).toEqual(whole);
        },
      ),
      { numRuns: 30 },
    );
  },
);
