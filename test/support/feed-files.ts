/** Generated files of every import profile and of the native feed, for property tests. */
import fc from 'fast-check';
import { csv, goods, type Sending } from './feeds.ts';

/** One record of a generated file. */
export interface Line {
  readonly name: string;
  readonly option: string;
  readonly sku: string;
  readonly price: string;
  readonly code: string;
  readonly mpn: string;
  readonly stock: number;
}

export interface Shape {
  readonly sending: Sending;
  /** Lines with the same name are about one product, so a part of the file has all of them or none. */
  readonly product: (line: Line) => string;
  readonly file: (lines: readonly Line[]) => string;
  /** The lines in the order in which the file holds them; absent when that is their own. */
  readonly sorted?: (lines: readonly Line[]) => readonly Line[];
}

const IMPORT = { path: '/products/import-profiles' };
const byListing = ({ name, option }: Line): string => `${name}-${option}`;

/** The records of one handle stand together. */
const byName = (lines: readonly Line[]): readonly Line[] =>
  [...Map.groupBy(lines, ({ name }) => name).values()].flat();

const IMAGES = Array.from({ length: 10 }, (_, index) => `IMAGE${index + 1}`);
const VARIATIONS = [1, 2].flatMap((index) =>
  ['TYPE', 'NAME', 'VALUES'].map((part) => `VARIATION ${index} ${part}`),
);

/** One kind of file for each import profile, and the native feed. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  store_platform_products: {
    sending: IMPORT,
    product: ({ name, option }) => `${name}#${option}`,
    sorted: byName,
    file: (lines) =>
      csv(
        byName(lines).map((line) => ({
          Handle: line.name,
          Title: `Title ${line.name}`,
          Vendor: 'Wattle',
          'Option1 Name': 'Size',
          'Option1 Value': line.option,
          'Variant SKU': line.sku,
          'Variant Price': line.price,
          'Variant Barcode': line.code,
          'Google Shopping / MPN': line.mpn,
          'Variant Inventory Tracker': 'shopify',
          'Variant Inventory Qty': line.stock,
        })),
      ),
  },
  marketplace_listings: {
    sending: { ...IMPORT, type: 'text/tab-separated-values' },
    product: byListing,
    file: (lines) =>
      csv(
        lines.map((line) => ({
          'item-name': `Title ${line.name}`,
          'listing-id': `${line.name}-${line.option}`,
          'seller-sku': line.sku,
          price: line.price,
          quantity: line.stock,
          'product-id-type': line.code === '' ? '' : 4,
          'product-id': line.code,
          asin1: `B0${byListing(line)}`,
          'open-date': '',
        })),
        '\t',
      ),
  },
  auction_file_exchange: {
    sending: IMPORT,
    product: byListing,
    file: (lines) =>
      csv(
        lines.map((line) => ({
          Action: 'Add',
          'Item number': byListing(line),
          CustomLabel: line.sku,
          Category: 123,
          // It also refuses a file in which one SKU stands beside many titles.
          Title: line.sku === '' ? `Title ${line.name} ${line.option}` : 'Title',
          ConditionID: 1000,
          Format: 'FixedPrice',
          // The reader refuses a whole file in which many prices cannot be read.
          StartPrice: line.price === 'WRONG' ? '-1' : line.price,
          Quantity: line.stock,
          'Product:EAN': line.code,
          'Product:MPN': line.mpn,
          'Product:Brand': 'Wattle',
        })),
      ),
  },
  handmade_listings: {
    sending: IMPORT,
    product: byListing,
    file: (lines) =>
      csv(
        lines.map((line) => ({
          TITLE: `Title ${line.name} ${line.option}`,
          DESCRIPTION: '',
          PRICE: line.price,
          CURRENCY_CODE: 'AUD',
          QUANTITY: line.stock,
          TAGS: '',
          MATERIALS: '',
          ...Object.fromEntries([...IMAGES, ...VARIATIONS].map((column) => [column, ''])),
          IMAGE1: `https://cdn.example.com/${byListing(line)}.jpg`,
          SKU: line.sku,
        })),
      ),
  },
  'the native feed': {
    sending: {},
    product: ({ sku }) => sku,
    file: (lines) =>
      csv(
        lines.map(({ name, sku, price, stock }) =>
          goods(sku, { price, title: `Title ${name}`, quantity: stock }),
        ),
      ),
  },
};

export const aLine: fc.Arbitrary<Line> = fc.record({
  name: fc.constantFrom('tee', 'cap', 'mug'),
  option: fc.constantFrom('S', 'M', 'L'),
  sku: fc.constantFrom('', 'X-1', 'X-2', 'X-3'),
  price: fc.constantFrom('5.00', '7.50', 'WRONG'),
  code: fc.constantFrom('', '9312345678907', '9312345678914'),
  mpn: fc.constantFrom('', 'M-1'),
  stock: fc.constantFrom(3, 7),
});

/** The lines of one generated file. */
export const someLines = (maxLength: number): fc.Arbitrary<Line[]> =>
  fc.uniqueArray(aLine, { minLength: 1, maxLength, selector: ({ name, option }) => `${name}${option}` });
