/** Fixtures for the tests of planning: a context, an ordinary row and the product that it creates. */
import { minor } from '../../../kernel/money.ts';
import { FEED_COLUMNS } from '../domain/fields/field-columns.ts';
import type { RowMatch } from '../domain/identity/evidence.ts';
import type { PlanContext, PlanInput, RowPlan } from '../domain/plan/plan-context.ts';
import { planRow } from '../domain/plan-row.ts';
import { type CatalogueProduct, REVIEWED_FIELDS } from '../domain/product.ts';
import type { ProductPatch } from '../domain/row.ts';

export function planContext(changes: Partial<PlanContext> = {}): PlanContext {
  let last = 0;
  return {
    mode: 'upsert',
    tier: 'Free',
    currency: 'AUD',
    remaining_slots: 10,
    source_origin: 'feed',
    run_id: 'frn_1',
    profile: null,
    from_file: true,
    columns: FEED_COLUMNS,
    default_reorder_point: null,
    reviewed_fields: REVIEWED_FIELDS,
    media_url: 'https://spp.test/media/',
    nextProductId: () => `prd_${++last}`,
    nextImageId: () => `img_${++last}`,
    ...changes,
  };
}

export const MUG: ProductPatch = {
  seller_sku: 'MUG-BLU',
  title: 'Blue mug',
  brand: 'Harbour Clay',
  price_minor: minor(2499n),
  quantity: 5,
  identity: { strategy: 'global_id', value: '9312345678907' },
  images: [{ url: 'https://x.example/a' }],
  attributes: { colour: 'Blue' },
};

export function plan(
  existing: CatalogueProduct | null,
  patch: ProductPatch,
  options: {
    readonly role?: PlanInput['role'];
    readonly context?: Partial<PlanContext>;
    readonly match?: RowMatch;
    readonly messages?: PlanInput['messages'];
  } = {},
): RowPlan & { readonly codes: readonly string[] } {
  const { role, messages = [] } = options;
  const input = { row_number: 1, patch, messages, ...(role === undefined ? {} : { role }) };
  const result = planRow(existing, input, planContext(options.context), options.match);
  return { ...result, codes: result.messages.map((message) => message.code) };
}

/** The product that an accepted row creates. */
export function product(
  patch: ProductPatch = MUG,
  changes: Partial<CatalogueProduct> = {},
): CatalogueProduct {
  const { next, messages } = plan(null, patch);
  if (next === null) throw new Error(`no product: ${JSON.stringify(messages)}`);
  return { ...next, ...changes };
}

export function approvedProduct(patch: ProductPatch = MUG): CatalogueProduct {
  return product(patch, { curation_state: 'approved' });
}
