import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { frameFields, liveFrame } from '../../../kernel/frame.ts';
import { StringEnum, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { productsById } from '../../products/index.ts';
import { meanScore, topFixes } from '../domain/listing-sums.ts';
import {
  AT,
  code,
  FRAMED_EXAMPLE,
  FramedReadiness,
  LISTING_EXAMPLE,
  Listing,
  RULES_SHOWN,
  Rules,
  SUMMARY_EXAMPLE,
  Summary,
  toWireReadiness,
} from '../schemas/readiness.ts';
import { pageOfListings, readState, type State } from '../store/listings.ts';

const read = reads('catalogue');
const RETRY_SECONDS = 15;
/** A change is known within a minute (docs/design/quality.md#readiness). */
const STALE_AFTER_MS = 60_000;
const LIST = 'quality.products.v1';

const stateOf = (ctx: HandlerCtx): Promise<State | undefined> =>
  readState(ctx, new Date(ctx.now() - STALE_AFTER_MS).toISOString());

/** A worker keeps the figures, so they are a snapshot that is seconds old; without the worker it grows stale. */
function frameOf(ctx: HandlerCtx, contract: string, state: State | undefined) {
  if (state === undefined)
    return {
      ...liveFrame(ctx.at(), contract, { semantic_status: 'not_computed' }),
      cache_status: 'none' as const,
      retry_after_seconds: RETRY_SECONDS,
    };
  const isStale = state.behind;
  return {
    ...liveFrame(state.refreshed_at ?? ctx.at(), contract, { missing: isStale ? ['recent_days'] : [] }),
    cache_status: isStale ? ('stale' as const) : ('fresh' as const),
  };
}

const rules = defineRoute({
  id: 'quality.rules.get',
  method: 'GET',
  path: '/rules',
  summary: 'Read the rules by which products are assessed',
  description: 'A product is ready if it passes every blocking rule. The others make up its score.',
  access: read,
  ok: okJson('The rules', Rules, RULES_SHOWN),
  errors: [],
  handler: async () => ({ body: RULES_SHOWN }),
});

const summary = defineRoute({
  id: 'quality.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Read how ready the products are for sale',
  description: 'A worker assesses a product within a minute of its change. Archived products are left out.',
  access: read,
  ok: okJson('The figures', Summary, SUMMARY_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const state = await stateOf(ctx);
    const frame = frameOf(ctx, 'quality.summary.v1', state);
    if (state === undefined)
      return {
        body: { products: null, ready: null, score_mean: null, score_tens: [], top_fixes: [], ...frame },
      };
    const { sums } = state;
    const { products, ready, score_tens } = sums;
    const figures = { products, ready, score_mean: meanScore(sums), score_tens, top_fixes: topFixes(sums) };
    return { body: { ...figures, ...frame } };
  },
});

const list = pageRoute({
  id: 'quality.products.list',
  path: '/products',
  summary: 'List products by how ready they are for sale',
  description: 'The lowest score first. A worker assesses a product within a minute of its change.',
  access: read,
  filters: {
    ready: Type.Optional(Type.Boolean({ description: 'Products that are ready, or that are not' })),
    code: Type.Optional(code),
    score_below: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Products with a lower score' }),
    ),
    sort: Type.Optional(
      withDefault('score', StringEnum(['score', '-score'], { description: '`-score`: the highest first' })),
    ),
  },
  schema: Listing,
  example: LISTING_EXAMPLE,
  read: (ctx, { filters, ...page }) => pageOfListings(ctx, filters, page),
  position: ({ score, product_id }) => [score, product_id],
  view: ({ product_version: _, ...row }) => row,
  more: {
    properties: { ...frameFields, retry_after_seconds: Summary.properties.retry_after_seconds },
    example: liveFrame(AT, LIST),
    read: async (ctx) => frameOf(ctx, LIST, await stateOf(ctx)),
  },
});

const one = defineRoute({
  id: 'quality.products.get',
  method: 'GET',
  path: '/products/{product_id}',
  params: Type.Object({ product_id: Type.String({ description: 'Id of the product, `prd_…`' }) }),
  summary: 'Read how ready a product is for sale, and what would help',
  description:
    'Assessed for this answer. Of the findings, those that gain most come first. Archived products are 404.',
  access: read,
  ok: okJson('The assessment', FramedReadiness, FRAMED_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { product_id } }) => {
    const [found] = await productsById(ctx, [product_id]);
    const product = requireFound(found?.status === 'archived' ? undefined : found);
    const shown = toWireReadiness(product);
    // The time of the answer makes no new tag.
    const etag = shownTag(String(product.version), shown);
    return { body: { ...shown, ...liveFrame(ctx.at(), 'quality.product.v1') }, etag };
  },
});

export const readinessRoutes = [rules, summary, list, one];
