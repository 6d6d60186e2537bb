/**
 * Any listings of a file, in any order, are imported after the whole file: every accepted row is unchanged, and no
 * product changes (docs/design/feeds-and-imports.md#matching).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  type Sending,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

/** One record of a generated file. */
interface Line {
  readonly name: string;
  readonly option: string;
  readonly sku: string;
  readonly price: string;
  readonly code: string;
  readonly mpn: string;
}

interface Shape {
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

const SHAPES: Readonly<Record<string, Shape>> = {
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
          'Variant Inventory Qty': 3,
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
          quantity: 3,
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
          Quantity: 3,
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
          QUANTITY: 3,
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
    file: (lines) => csv(lines.map(({ name, sku, price }) => goods(sku, { price, title: `Title ${name}` }))),
  },
};

const aLine: fc.Arbitrary<Line> = fc.record({
  name: fc.constantFrom('tee', 'cap', 'mug'),
  option: fc.constantFrom('S', 'M', 'L'),
  sku: fc.constantFrom('', 'X-1', 'X-2', 'X-3'),
  price: fc.constantFrom('5.00', '7.50', 'WRONG'),
  code: fc.constantFrom('', '9312345678907', '9312345678914'),
  mpn: fc.constantFrom('', 'M-1'),
});

const send = (seller: TestSeller, file: string, sending: Sending) =>
  feed<Run & FeedFailure>(seller, file, sending);
const outcomesOf = ({ body }: Awaited<ReturnType<typeof send>>): string[] =>
  body.row_results.map(({ outcome }) => outcome);

test.each(Object.entries(SHAPES))(
  'any part of a file, imported after the whole, changes nothing: %s',
  async (_name, { sending, product, file, sorted = (lines) => lines }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(aLine, {
          minLength: 2,
          maxLength: 9,
          selector: ({ name, option }) => `${name}${option}`,
        }),
        fc.boolean(),
        fc.boolean(),
        fc.infiniteStream(fc.nat(1000)),
        async (lines, known, previewed, chance) => {
          const seller = await app.seller({ plan: 'Big' });
          if (known) await applied(seller, csv([goods('X-1')]));
          const whole = await send(seller, file(lines), {
            ...sending,
            ...(previewed ? { query: 'dry_run=true' } : {}),
          });
          if (previewed && whole.status === 201) {
            const path = `/products/feed-runs/${whole.body.run_id}/commit`;
            expect((await seller.call('POST', path)).status).toBe(201);
          }
          const rejected = new Set(
            sorted(lines).filter((_, index) => outcomesOf(whole)[index] === 'rejected'),
          );
          const before = await catalogueOf(seller);
          // A row that its file rejected may name the product that no file has imported.
          const sent = lines.filter((line) => !(known && line.sku === 'X-1' && rejected.has(line)));
          for (let turn = 0; turn < 3; turn += 1) {
            const part = [...Map.groupBy(sent, product).values()]
              .map((group) => ({ group, at: chance.next().value ?? 0 }))
              .filter(({ at }) => at % 3 > 0)
              .toSorted((one, other) => one.at - other.at)
              .flatMap(({ group }) => group);
            if (part.length === 0) continue;
            const answer = await send(seller, file(part), sending);
            // A row that the file rejected with an earlier row may be accepted without it, as a new product.
            for (const [index, line] of sorted(part).entries())
              if (!rejected.has(line)) expect(outcomesOf(answer)[index]).toBe('unchanged');
            const after = await catalogueOf(seller);
            for (const [name, one] of before) expect(after.get(name)).toEqual(one);
          }
        },
      ),
      { numRuns: 12 },
    );
  },
  240_000,
);

test('corrected rows of a store, sent alone, change only what their keys name', async () => {
  const shape = SHAPES['store_platform_products'];
  if (shape === undefined) throw new Error('no shape');
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(aLine, {
        minLength: 2,
        maxLength: 9,
        selector: ({ name, option }) => `${name}${option}`,
      }),
      async (lines) => {
        const seller = await app.seller({ plan: 'Big' });
        await send(seller, shape.file(lines), shape.sending);
        const before = await catalogueOf(seller);
        const wrong = lines
          .filter(({ price }) => price === 'WRONG')
          .map((line) => ({ ...line, price: '9.00' }));
        if (wrong.length === 0) return;
        await send(seller, shape.file(wrong), shape.sending);
        const after = await catalogueOf(seller);
        for (const [name, product] of before) expect(after.get(name)).toEqual(product);
      },
    ),
    { numRuns: 15 },
  );
}, 240_000);
