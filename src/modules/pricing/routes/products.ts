import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { CsvColumn } from '../../../kernel/csv-writer.ts';
import { coreErrors, invalid, requireFound } from '../../../kernel/errors.ts';
import { lacking, liveFrame, snapshotFields, snapshotFrame } from '../../../kernel/frame.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
import type { AnyRoute, ReadonlyDeep } from '../../../kernel/route.ts';
import { nameFilter } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { readSnapshot } from '../../facts/index.ts';
import { factsOf, readFees } from '../actions/facts-of.ts';
import { LIST_CONTRACT } from '../actions/run-pass.ts';
import { evaluate, OBSERVED_WITHIN_MS } from '../domain/evaluate.ts';
import { categoryPath, ruleFinder } from '../domain/rules.ts';
import {
  EVALUATED_EXAMPLE,
  EvaluatedProduct,
  lacksOf,
  PRODUCT_EXAMPLE,
  PricedProduct,
  status,
  toWire,
} from '../schemas/product.ts';
import { lastPass, listEvaluated, offerOf, type PricedRow, pricedProducts } from '../store/products.ts';
import { rulesOf } from '../store/tables.ts';
import { readsPricing } from './access.ts';

const evaluatedJson = (row: PricedRow): Static<typeof PricedProduct> =>
  toWire(row, offerOf(row), {
    ...row,
    status: row.status ?? 'no_rule',
    at: row.evaluated_at ?? '',
    isPresent: row.product_version === row.version && !row.is_outdated,
  });

/** What `POST /products/feed-runs?mode=update_only` takes. */
const COLUMNS: readonly CsvColumn<ReadonlyDeep<Static<typeof PricedProduct>>>[] = [
  { name: 'seller_sku', kind: 'text', value: ({ seller_sku }) => seller_sku },
  {
    name: 'price',
    kind: 'decimal',
    value: ({ evaluation, currency }) => formatAmount(minor(evaluation.target_minor ?? 0), currency),
  },
];

const filters = {
  sku: nameFilter('The product with this SKU'),
  category: nameFilter('Products of exactly this category'),
  status: Type.Optional(status),
};

const page = pageRoute({
  id: 'pricing.products.list',
  path: '/products',
  summary: 'List products with their limits, other offers and recommended prices',
  description:
    'Every product that a rule, a guardrail or an observation is about, by its id, as it was last evaluated. Recommendations are advice: no price changes unless you change it. A product that has changed since, or that followed an offer which is more than 24 hours old by now, is left out of `status=recommended`, of which `format=csv` is a file for `POST /products/feed-runs?mode=update_only`.',
  access: readsPricing,
  cache: 'no-store',
  filters,
  schema: PricedProduct,
  example: PRODUCT_EXAMPLE,
  read: (ctx, { filters: { category, ...filter }, after, limit }) =>
    listEvaluated(
      ctx,
      { today: sydneyDate(ctx.now()), offers_from: isoOf(ctx.now() - OBSERVED_WITHIN_MS) },
      { ...filter, category: category === undefined ? undefined : categoryPath(category) },
      after === undefined ? undefined : String(after[0]),
      limit + 1,
    ),
  position: ({ product_id }) => [product_id],
  view: evaluatedJson,
  csv: { name: 'prices', columns: COLUMNS },
  more: {
    properties: snapshotFields,
    example: snapshotFrame(Date.parse('2026-07-21T00:00:00Z'), LIST_CONTRACT, {
      generated_at: '2026-07-20T17:00:00.000Z',
      facts_through_on: '2026-07-20',
      semantic_status: 'complete',
      status_reason: null,
      missing: [],
    }),
    read: async (ctx, _filters, rows) => {
      const { frame } = await readSnapshot(ctx, LIST_CONTRACT, Type.Null());
      return lacking(
        frame,
        (await rows).flatMap((row) => lacksOf(row, offerOf(row))),
      );
    },
  },
});

/** A file of other rows would have no price to send. */
const list: AnyRoute = {
  ...page,
  handler: async (ctx: never, request: never) => {
    const { query } = request as { readonly query: { readonly status?: string; readonly format?: string } };
    if (query.format === 'csv' && query.status !== 'recommended') {
      const msg = 'The file has recommended prices only: add status=recommended.';
      throw invalid([{ loc: ['query', 'format'], msg, type: 'csv_needs_recommended', input: 'csv' }]);
    }
    return page.handler(ctx, request);
  },
};

const get = defineRoute({
  id: 'pricing.products.get',
  method: 'GET',
  path: '/products/{product_id}',
  summary: 'Evaluate a product now, with every step',
  description:
    'Says step by step how the recommended price came about, or why there is none. Changes nothing.',
  access: readsPricing,
  cache: 'no-store',
  params: Type.Object({ product_id: Type.String({ description: 'Id of the product, `prd_…`' }) }),
  ok: okJson('The product', EvaluatedProduct, EVALUATED_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const now = ctx.now();
    const [[found], last, rules] = await Promise.all([
      pricedProducts(ctx, sydneyDate(now), [params.product_id]),
      lastPass(ctx),
      rulesOf(ctx),
    ]);
    const row = requireFound(found);
    const fees = await readFees(ctx, row.currency, now, last);
    const rule = ruleFinder(rules)(row);
    const { steps, ...result } = evaluate(factsOf(row), rule, fees, now);
    const missing = [
      ...lacksOf(row, offerOf(row)),
      ...(fees.processing_bps === null ? (['payment_processing'] as const) : []),
    ];
    const body = {
      ...toWire(row, offerOf(row), { ...result, at: ctx.at(), isPresent: true }),
      ...liveFrame(ctx.at(), 'pricing.product.v1', { missing }),
      steps,
    };
    // The time of the evaluation is no difference.
    const { generated_at: _, evaluation, ...shown } = body;
    const etag = shownTag(String(row.version), { ...shown, ...evaluation, evaluated_at: null });
    return { body, etag };
  },
});

export const productRoutes = [list, get];
