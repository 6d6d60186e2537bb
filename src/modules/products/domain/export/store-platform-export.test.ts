import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapAll, openText } from '../../../../../test/fixtures/profiles/profile-files.ts';
import { csvWriter } from '../../../../kernel/csv-writer.ts';
import { minor } from '../../../../kernel/money.ts';
import { API_COLUMNS, FEED_COLUMNS } from '../fields/field-columns.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import { NO_MATCH } from '../identity/evidence.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { planRow } from '../plan-row.ts';
import { type CatalogueProduct, REVIEWED_FIELDS } from '../product.ts';
import { CONDITIONS, type ProductPatch } from '../row.ts';
import type { ExportRow } from './export-row.ts';
import {
  STORE_GENERATIONS,
  type StoreGeneration,
  storeExportColumns,
  storeRecords,
} from './store-platform-export.ts';

let ids = 0;
const next = (): number => {
  ids += 1;
  return ids;
};
const context = (columns: PlanContext['columns'], profile: string | null): PlanContext => ({
  mode: 'upsert',
  tier: 'Free',
  currency: 'AUD',
  remaining_slots: 10,
  source_origin: 'api',
  run_id: null,
  profile,
  from_file: profile !== null,
  columns,
  default_reorder_point: null,
  reviewed_fields: REVIEWED_FIELDS,
  media_url: 'https://spp.test/media/',
  nextProductId: () => `prd_${String(next()).padStart(26, '0')}`,
  nextImageId: () => `img_${next()}`,
});

/** A product as the API makes it; `null` when the body is refused. */
function made(patch: ProductPatch): CatalogueProduct | null {
  const valid = validatePatch(patch, API_COLUMNS);
  return planRow(null, { row_number: null, ...valid }, context(API_COLUMNS, null)).next;
}

function rowOf(product: CatalogueProduct): ExportRow {
  const { identity, images, attributes, ...rest } = product;
  return {
    ...rest,
    identity_strategy: identity?.strategy ?? null,
    value_entered: identity?.value_entered ?? null,
    mpn: identity?.mpn ?? null,
    exempt_reason: identity?.exempt_reason ?? null,
    product_ref: identity?.product_ref ?? null,
    images: images.length === 0 ? null : images,
    attributes: Object.keys(attributes).length === 0 ? null : attributes,
  };
}

/** The file of products that share a handle. */
function fileOf(products: readonly CatalogueProduct[], generation: StoreGeneration): string {
  const rows = products.map(rowOf);
  const names = [...new Set(products.flatMap(({ attributes }) => Object.keys(attributes)))].sort();
  const writer = csvWriter(storeExportColumns(generation, names));
  return (
    writer.header +
    storeRecords(rows)
      .map((record) => writer.line(record))
      .join('')
  );
}

/** What a file of a store has said, also where the seller has changed the field since. */
const MARKS = ['store_status', 'stock_tracking'] as const;
const nasty = fc
  .array(fc.constantFrom('=', '+', '-', '@', "'", '"', ',', ';', '|', '<b>', ' ', 'é', '#', '/', 'x'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const image = fc.record({
  url: fc.nat(3).map((n) => `https://cdn.example.com/${n}.jpg`),
  alt: fc.option(fc.constantFrom('=alt', 'Front')),
});
const product: fc.Arbitrary<ProductPatch> = fc.record(
  {
    title: nasty.map((text) => `T${text}`),
    description: fc.option(nasty),
    brand: fc.option(nasty.map((text) => `B${text}`)),
    category: fc.option(nasty.map((text) => `C${text}`)),
    condition: fc.option(fc.constantFrom(...CONDITIONS)),
    identity: fc.constantFrom(
      { strategy: 'exempt', reason: 'handmade', source: 'seller' } as const,
      { strategy: 'mpn_brand', mpn: '=M-1', brand: 'Acme' } as const,
      { strategy: 'global_id', value: '9300675024235' } as const,
    ),
    price_minor: fc.bigInt({ min: 1n, max: 10n ** 12n }).map((value) => minor(value)),
    compare_at_minor: fc.option(fc.bigInt({ min: 1n, max: 10n ** 12n }).map((value) => minor(value))),
    quantity: fc.option(fc.nat(1_000)),
    status: fc.constantFrom('active', 'draft', 'inactive'),
    images: fc.uniqueArray(image, { maxLength: 4, selector: ({ url }) => url }),
    attributes: fc.dictionary(
      fc.constantFrom('tags', 'weight', 'custom.fabric', 'seo_title', ...MARKS),
      nasty,
    ),
  },
  { requiredKeys: ['title', 'price_minor'] },
);
const family = fc.array(product, { minLength: 1, maxLength: 4 }).map((members) =>
  members.map(
    (member, index): ProductPatch => ({
      ...member,
      seller_sku: `SKU-${index}`,
      ...(members.length === 1
        ? {}
        : {
            variation: {
              parent_sku: 'FAMILY',
              theme: 'Size/Colour',
              values: { Size: `${index}`, Colour: '=r' },
            },
          }),
    }),
  ),
);

test.each(STORE_GENERATIONS)(
  'generation %s: what is exported is unchanged when it is imported',
  async (generation) => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(family, async (members) => {
        const products = members.flatMap((member) => made(member) ?? []);
        if (products.length === 0) return;
        taken += products.length;
        const rows = await mapAll(openText(fileOf(products, generation)));
        const own = rows.filter(({ role }) => role !== 'merged');
        expect(own).toHaveLength(products.length);
        for (const [index, existing] of products.entries()) {
          const row = own[index];
          if (row?.patch == null) throw new Error('a row is missing');
          const valid = validatePatch(row.patch);
          const plan = planRow(
            existing,
            { ...row, patch: valid.patch, messages: [...row.messages, ...valid.messages] },
            context(FEED_COLUMNS, 'store_platform_products'),
            NO_MATCH,
          );
          expect([plan.outcome, plan.changes]).toEqual(['unchanged', []]);
        }
      }),
      { numRuns: 300 },
    );
    // Most bodies are taken, or the property would say nothing.
    expect(taken).toBeGreaterThan(200);
  },
);
