import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvWriter } from '../../../kernel/csv-writer.ts';
import { minor } from '../../../kernel/money.ts';
import { readRecords } from '../../../kernel/readers/read-records.ts';
import { exportRowOf } from '../domain/export/export-row.ts';
import { nativeExportColumns } from '../domain/export/native-export.ts';
import { validatePatch } from '../domain/fields/validate-patch.ts';
import { type FoundProducts, lookupKeys, matchRow } from '../domain/match-row.ts';
import { mapNativeHeader } from '../domain/native-feed/map-native-header.ts';
import { mapNativeRecord } from '../domain/native-feed/map-native-record.ts';
import { planRow } from '../domain/plan-row.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import { CONDITIONS, EXEMPTION_REASONS, PRODUCT_STATUSES, type ProductPatch } from '../domain/row.ts';
import { planContext } from './plan-fixtures.ts';

const FORMAT = {
  encoding: 'utf-8',
  delimiter: ',',
  quoting: true,
  limits: { max_row_bytes: 1_000_000, max_cell_bytes: 1_000_000, max_columns: 500 },
} as const;

/** Reads an export and plans its rows against the exported catalogue. */
async function importAgain(products: readonly CatalogueProduct[]) {
  const attributes = [...new Set(products.flatMap((product) => Object.keys(product.attributes)))];
  const axes = [...new Set(products.flatMap(({ variation }) => Object.keys(variation?.values ?? {})))];
  const writer = csvWriter(nativeExportColumns({ attributes, axes }));
  const lines = products.map((product) => writer.line(exportRowOf(product)));
  const bytes = Buffer.from(writer.header + lines.join(''));
  const records = (await Array.fromAsync(readRecords([bytes], FORMAT))).flat();
  const [first, ...rest] = records;
  const header = mapNativeHeader(first?.cells ?? [], { mode: 'upsert', currency: 'AUD' });
  const plans = rest.map((record, index) => {
    const row = mapNativeRecord(header, record, index + 1);
    const { existing, match } = matchRow(lookupKeys(row.patch ?? {}), catalogue(products));
    return planRow(existing, row, planContext(), match);
  });
  return { messages: header.messages, plans };
}

function catalogue(products: readonly CatalogueProduct[]): FoundProducts {
  return {
    bySku: (sku) => products.find(({ seller_sku }) => seller_sku === sku),
    byProductId: (id) => products.find(({ product_id }) => product_id === id),
    byExternalKey: () => undefined,
    byGtin: () => [],
    byMpnBrand: () => [],
  };
}

/** Texts that exports and spreadsheets often damage. */
const nasty = fc.oneof(
  fc.constantFrom(
    "'",
    "''",
    "'=1",
    '=1+1',
    '-5',
    '+61',
    '@x',
    '"',
    'a,b',
    ' a ',
    '\u00a0a',
    '0',
    'n/a',
    '😀',
    '"a\r\nb"',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const amount = fc.integer({ min: 1, max: 10_000_000 }).map((value) => minor(value));
const identity = fc.oneof(
  fc.constantFrom<NonNullable<ProductPatch['identity']>>(
    { strategy: 'global_id', value: "'931-2345-678907" },
    { strategy: 'global_id', value: '0306406152', scheme: 'ISBN-10', mpn: 'N/A' },
    { strategy: 'mpn_brand', mpn: '=X-1', brand: 'Bosch' },
    { strategy: 'mpn_brand', mpn: 'n/a', brand: 'Bosch' },
    { strategy: 'global_id', value: 'Does not apply' },
    { strategy: 'exempt', value: 'n/a', source: 'file', mpn: 'X9' },
  ),
  fc.record({ strategy: fc.constant('exempt' as const), reason: fc.constantFrom(...EXEMPTION_REASONS) }),
);
const names = fc.constantFrom('colour', 'Größe', '=x', "'q", 'theme', 'Theme', 'a/b');

const patch = fc.record({
  title: nasty,
  description: optional(nasty),
  category: optional(nasty),
  condition: optional(fc.constantFrom(...CONDITIONS)),
  identity: optional(identity),
  price_minor: optional(amount),
  compare_at_minor: optional(amount),
  quantity: optional(fc.nat()),
  reorder_point: optional(fc.nat()),
  status: fc.constantFrom(...PRODUCT_STATUSES),
  images: optional(
    fc.array(fc.constantFrom('a', 'b|c', 'd,e').map((name) => ({ url: `https://x.example/${name}` }))),
  ),
  attributes: optional(fc.dictionary(names, nasty)),
  variation: optional(
    fc
      .tuple(fc.dictionary(fc.constantFrom('Colour', 'Size', 'Theme'), nasty), fc.boolean())
      .map(([values, turned]) => {
        const axes = Object.keys(values).filter((axis) => values[axis]?.trim() !== '');
        return { parent_sku: 'P', theme: turned ? axes.toReversed().join('/') : '', values };
      }),
  ),
});

/** Without empty keys. */
function patchOf(value: object, seller_sku: string | undefined): ProductPatch {
  return Object.fromEntries(
    Object.entries({ ...value, seller_sku }).filter(([, field]) => field !== undefined),
  ) as ProductPatch;
}

/** Valid catalogues; some products are staged drafts without a SKU. */
const catalogues = fc.array(fc.tuple(patch, fc.boolean()), { minLength: 1, maxLength: 6 }).map((rows) =>
  rows.flatMap(([value, staged], index) => {
    const valid = validatePatch(patchOf(value, staged ? undefined : `=SKU ${index}`));
    const input = { row_number: 1, patch: valid.patch, messages: valid.messages };
    const context = planContext({ nextProductId: () => `prd_${index}` });
    const { next } = planRow(null, { ...input, ...(staged ? { role: 'staged' } : {}) }, context);
    return next === null ? [] : [next];
  }),
);

describe('an export that is imported again', () => {
  it('changes nothing, row by row', async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(catalogues, async (products) => {
        const { messages, plans } = await importAgain(products);
        expect(messages).toEqual([]);
        expect(
          plans.map(({ outcome, messages: found }) => [
            outcome,
            found.filter(({ severity }) => severity === 'error'),
          ]),
        ).toEqual(products.map(() => ['unchanged', []]));
        rows += plans.length;
      }),
      { numRuns: 300 },
    );
    expect(rows).toBeGreaterThan(200);
  });
});
