import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allOf, CSV, LIMITS } from '../../../../../test/support/text-files.ts';
import { csvWriter } from '../../../../kernel/csv-writer.ts';
import { minor } from '../../../../kernel/money.ts';
import { readJsonRows } from '../../../../kernel/readers/read-json-rows.ts';
import { readRecords } from '../../../../kernel/readers/read-records.ts';
import { API_COLUMNS, FEED_COLUMNS } from '../fields/field-columns.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import { NO_MATCH } from '../identity/evidence.ts';
import { mapNativeHeader } from '../native-feed/map-native-header.ts';
import { mapNativeRecord } from '../native-feed/map-native-record.ts';
import { NATIVE_COLUMNS } from '../native-feed/native-columns.ts';
import { nativeObjectMapper } from '../native-feed/native-object-mapper.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { planRow } from '../plan-row.ts';
import { type CatalogueProduct, REVIEWED_FIELDS } from '../product.ts';
import {
  CONDITIONS,
  EXEMPTION_REASONS,
  type FeedRow,
  type IdentityClaim,
  type ProductPatch,
} from '../row.ts';
import { exportRowOf } from './export-row.ts';
import { nativeExportColumns, nativeExportObject } from './native-export.ts';

const REFERENCE = 'prd_00000000000000000000000001';
let ids = 0;
const next = (): number => {
  ids += 1;
  return ids;
};

const context = (columns: PlanContext['columns']): PlanContext => ({
  mode: 'upsert',
  tier: 'Free',
  currency: 'AUD',
  remaining_slots: 10,
  source_origin: 'api',
  run_id: null,
  profile: null,
  from_file: columns === FEED_COLUMNS,
  columns,
  default_reorder_point: null,
  reviewed_fields: REVIEWED_FIELDS,
  media_url: 'https://spp.test/media/',
  nextProductId: () => `prd_${next()}`,
  nextImageId: () => `img_${next()}`,
});
const match = { ...NO_MATCH, product_visible: true };

/** The product of a request; `null` when the service rejects the body. */
function productOf(patch: ProductPatch): CatalogueProduct | null {
  const valid = validatePatch(patch, API_COLUMNS);
  return planRow(null, { row_number: null, ...valid }, context(API_COLUMNS), match).next;
}

const outcomeOf = (product: CatalogueProduct, row: FeedRow) =>
  planRow(product, row, context(FEED_COLUMNS), match);

async function fedBackAsCsv(products: readonly CatalogueProduct[]): Promise<FeedRow[]> {
  const names = (maps: readonly object[]) => [...new Set(maps.flatMap((map) => Object.keys(map)))].sort();
  const writer = csvWriter(
    nativeExportColumns({
      attributes: names(products.map(({ attributes }) => attributes)),
      axes: names(products.map(({ variation }) => variation?.values ?? {})),
    }),
  );
  const text = writer.header + products.map((product) => writer.line(exportRowOf(product))).join('');
  const [header, ...records] = await allOf(readRecords([Buffer.from(text)], CSV));
  const found = mapNativeHeader(header?.cells ?? [], { mode: 'upsert', currency: 'AUD' });
  expect(found.messages).toEqual([]);
  return records.map((record, index) => mapNativeRecord(found, record, index + 1));
}

async function fedBackAsJson(products: readonly CatalogueProduct[]): Promise<FeedRow[]> {
  const text = JSON.stringify(products.map((product) => nativeExportObject(exportRowOf(product))));
  const rows = await allOf(readJsonRows([Buffer.from(text)], { ...LIMITS, max_depth: 8 }));
  const mapper = nativeObjectMapper({ mode: 'upsert', currency: 'AUD' });
  return rows.map((row) => mapper.mapNativeObject(row));
}

/** Texts with characters that are special in spreadsheets, CSV and formulas. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        "'",
        '"',
        ',',
        ';',
        '\t',
        '|',
        '\n',
        '\r\n',
        '<b>',
        ' ',
        'é',
        '\ufeff',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const line = nasty.map((text) => text.replaceAll(/[\r\n\t]/g, ' '));

const identity: fc.Arbitrary<IdentityClaim | null> = fc.oneof(
  fc.constantFrom('9300675024235', '930-0675-02423-5', '0-306-40615-2').map((value) => ({
    strategy: 'global_id' as const,
    value,
    mpn: 'M-1',
  })),
  line.map((mpn) => ({ strategy: 'mpn_brand' as const, mpn: `M${mpn}`, brand: 'Acme' })),
  fc.constantFrom(...EXEMPTION_REASONS).map((reason) => ({
    strategy: 'exempt' as const,
    reason,
    source: 'seller' as const,
  })),
  fc.constant({ strategy: 'product_id' as const, value: REFERENCE }),
  fc.constant(null),
);

const patch: fc.Arbitrary<ProductPatch> = fc.record(
  {
    seller_sku: line.map((text) => `S${text}`.slice(0, 60)),
    title: line.map((text) => `T${text}`),
    description: fc.option(nasty),
    brand: fc.option(line),
    category: fc.option(line),
    condition: fc.option(fc.constantFrom(...CONDITIONS)),
    identity,
    price_minor: fc.option(fc.bigInt({ min: 1n, max: 10n ** 15n }).map((value) => minor(value))),
    compare_at_minor: fc.option(fc.bigInt({ min: 1n, max: 10n ** 15n }).map((value) => minor(value))),
    quantity: fc.option(fc.nat(1_000_000_000)),
    reorder_point: fc.option(fc.nat(1_000)),
    status: fc.constantFrom('active', 'draft', 'inactive', 'archived'),
    images: fc.uniqueArray(
      fc
        .nat(50)
        .map((n) => ({ url: `https://cdn.example.com/a b/${n}?x=1|2`.replace(' ', '%20'), alt: `Alt ${n}` })),
      { maxLength: 4, selector: ({ url }) => url },
    ),
    attributes: fc.dictionary(
      line.map((text) => `a${text}`).filter((name) => name.trim() === name),
      nasty,
      { maxKeys: 4 },
    ),
    variation: fc.option(
      fc.record({
        parent_sku: line.map((text) => `P${text}`.slice(0, 60)),
        theme: fc.constant(''),
        values: fc.dictionary(
          fc.constantFrom('Size', 'Colour', 'Länge'),
          line.map((text) => `v${text}`),
        ),
      }),
    ),
  },
  { requiredKeys: ['seller_sku', 'title'] },
);

/** The database sorts the options of a variation by name. */
function asStored(product: CatalogueProduct): CatalogueProduct {
  const { variation } = product;
  if (variation === null) return product;
  const values = Object.fromEntries(Object.entries(variation.values).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...product, variation: { ...variation, values } };
}

test.each([
  ['CSV', fedBackAsCsv],
  ['JSON', fedBackAsJson],
] as const)('a %s export that is sent as a feed changes nothing', async (_name, feedBack) => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(patch, { maxLength: 5 }), async (patches) => {
      const products = patches.flatMap((one) => productOf(one) ?? []).map(asStored);
      accepted += products.length;
      const rows = await feedBack(products);
      expect(rows).toHaveLength(products.length);
      for (const [index, product] of products.entries()) {
        const row = rows[index];
        if (row === undefined) throw new Error('a row is missing');
        const plan = outcomeOf(product, row);
        expect({
          changes: plan.changes,
          messages: plan.messages.filter((m) => m.severity === 'error'),
        }).toEqual({
          changes: [],
          messages: [],
        });
        expect(plan.outcome).toBe('unchanged');
      }
    }),
    { numRuns: 300 },
  );
  // The property proves nothing if the service rejects most bodies.
  expect(accepted).toBeGreaterThan(200);
});

test('an option named theme has the column variation.theme', () => {
  const names = nativeExportColumns({ attributes: [], axes: ['Size', 'theme'] }).map(({ name }) => name);
  expect(names.slice(-2)).toEqual(['variation.Size', 'variation.theme']);
});

test('the product_id of a draft without a SKU is its own id', async () => {
  for (const claim of [null, { strategy: 'product_id', value: REFERENCE } as const]) {
    const product = productOf({ seller_sku: 'S', title: 'T', status: 'draft', identity: claim });
    if (product === null) throw new Error('refused');
    const nameless = { ...product, seller_sku: null, issues: [] };
    const [row] = await fedBackAsCsv([nameless]);
    if (row === undefined) throw new Error('no row');
    expect(row.patch?.identity_parts?.product_id).toBe(product.product_id);
    expect(outcomeOf(nameless, row).changes.filter(({ field }) => field !== 'issues')).toEqual([]);
  }
});

test('the columns of an export are those of the feed contract, in its order', () => {
  const names = nativeExportColumns({ attributes: ['x'], axes: ['y'] }).map(({ name }) => name);
  const expected = NATIVE_COLUMNS.flatMap(({ name }) =>
    name === 'attributes.*'
      ? ['attributes.x']
      : name === 'variation.*'
        ? ['variation.theme', 'variation.y']
        : [name],
  );
  expect(names).toEqual(expected);
});
