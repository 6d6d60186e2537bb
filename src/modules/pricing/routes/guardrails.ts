import Type, { type Static } from 'typebox';
import { ApiError, coreErrors, fail, invalid, missing, requireFound } from '../../../kernel/errors.ts';
import { itemResults } from '../../../kernel/item-error.ts';
import { minorOrNull } from '../../../kernel/money.ts';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { attempt } from '../../../platform/db/savepoint.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { requestPass } from '../actions/run-pass.ts';
import { pricingErrors } from '../errors.ts';
import { guardrailFields, guardrailsJson } from '../schemas/product.ts';
import { productsNamed } from '../store/products.ts';
import { type GuardrailRow, guardrails } from '../store/tables.ts';
import { writesPricing } from './access.ts';

const PRICE_MAX = 1_000_000_000;
const MARGIN_BPS_MAX = 9_000;
const BULK_MAX = 200;

const optional = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum, maximum, description })));
const input = {
  floor_minor: optional(1, PRICE_MAX, 'No lower price is recommended'),
  ceiling_minor: optional(1, PRICE_MAX, 'No higher price is recommended'),
  min_margin_bps: optional(
    0,
    MARGIN_BPS_MAX,
    'No price with a smaller margin is recommended; needs a unit cost',
  ),
};
const Input = Type.Object(input, {
  title: 'PriceGuardrailsInput',
  description: 'The limits of recommendations. A field that is null or left out is not set.',
});
type Input = Static<typeof Input>;
const INPUT_EXAMPLE = { floor_minor: 1_900, ceiling_minor: 2_999, min_margin_bps: 2_000 };

const Guardrails = Type.Object(
  {
    product_id: Type.String({ description: 'Id of the product' }),
    ...guardrailFields,
    version: Type.Integer({ description: 'Counts the changes, from 1' }),
    updated_at: Instant({ description: 'When they last changed' }),
  },
  { title: 'PriceGuardrails', description: 'The limits of recommendations for a product.' },
);
const EXAMPLE = {
  product_id: 'prd_01j0000000000000000000000',
  ...INPUT_EXAMPLE,
  version: 1,
  updated_at: '2026-07-20T01:00:00.000Z',
};
const toWire = ({ product_id, version, updated_at, ...limits }: GuardrailRow): Static<typeof Guardrails> => ({
  ...{ product_id, version, updated_at },
  ...guardrailsJson(limits),
});
const tagOf = ({ product_id, version }: Pick<GuardrailRow, 'product_id' | 'version'>): string =>
  `${product_id}.${version}`;

/**
 * Replaces the guardrails of a product.
 *
 * @param check throws if the version must be another one
 * @throws ApiError 409 `floor_above_ceiling`, `conflict`
 */
async function setGuardrails(
  ctx: HandlerCtx,
  product_id: string,
  { floor_minor = null, ceiling_minor = null, min_margin_bps = null }: Input,
  check: (tag: string) => void = () => undefined,
): Promise<GuardrailRow> {
  if (floor_minor !== null && ceiling_minor !== null && floor_minor > ceiling_minor)
    throw fail(pricingErrors.floor_above_ceiling);
  const before = await guardrails.find(ctx, { product_id }, 'for update');
  check(tagOf({ product_id, version: before?.version ?? 0 }));
  const row: GuardrailRow = {
    product_id,
    floor_minor: minorOrNull(floor_minor),
    ceiling_minor: minorOrNull(ceiling_minor),
    min_margin_bps,
    ...firstVersion(ctx.at()),
    ...(before && { version: before.version + 1, created_at: before.created_at }),
  };
  const written = before === undefined ? guardrails.insert(ctx, row) : guardrails.replace(ctx, row);
  if (!(await written)) throw fail(coreErrors.conflict);
  return row;
}

const set = defineRoute({
  id: 'pricing.guardrails.set',
  method: 'PUT',
  path: '/products/{product_id}/guardrails',
  summary: 'Set the limits of recommendations for a product',
  description:
    'A rule recommends nothing without a floor or a least margin. With `If-Match` the change is refused (412) if another request has changed them since.',
  access: writesPricing,
  cache: 'no-store',
  params: Type.Object({ product_id: Type.String({ description: 'Id of the product, `prd_…`' }) }),
  body: { kind: 'json', schema: Input, example: INPUT_EXAMPLE },
  ok: okJson('The guardrails', Guardrails, EXAMPLE),
  errors: [
    coreErrors.not_found,
    coreErrors.precondition_failed,
    coreErrors.conflict,
    pricingErrors.floor_above_ceiling,
  ],
  handler: async (ctx, { params, body, headers }) => {
    const { product_id } = requireFound((await productsNamed(ctx, [params.product_id], []))[0]);
    const row = await setGuardrails(ctx, product_id, body, (tag) => checkIfMatch(headers, tag));
    await requestPass(ctx);
    return { body: toWire(row), etag: tagOf(row) };
  },
});

const Item = Type.Object({
  product_id: Type.Optional(Type.String({ maxLength: 100, description: 'Id of the product' })),
  seller_sku: Type.Optional(Type.String({ maxLength: 64, description: 'Its SKU, if the id is left out' })),
  ...input,
});

const unnamed = () => {
  const msg = 'Name the product by "product_id" or by "seller_sku".';
  return invalid([{ loc: ['body', 'product_id'], msg, type: 'missing' }]);
};

const write = defineRoute({
  id: 'pricing.guardrails.write',
  method: 'POST',
  path: '/guardrails/bulk',
  summary: `Set the limits of recommendations for up to ${BULK_MAX} products`,
  description:
    'Items are applied in their order. Each gets its own result; a refused one does not stop the others.',
  access: writesPricing,
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        items: Type.Array(Item, {
          minItems: 1,
          maxItems: BULK_MAX,
          description: 'The products with their limits',
        }),
      },
      { title: 'PriceGuardrailsBulk', description: 'Limits of several products.' },
    ),
    example: { items: [{ seller_sku: 'MUG-BLU', floor_minor: 1_900 }] },
  },
  ok: okJson(
    'One result per item, in the order of the items',
    itemResults(
      'PriceGuardrailsResults',
      { updated: 'Items that set limits', failed: 'Refused items' },
      { guardrails: Nullable(Guardrails) },
    ),
    {
      counts: { items: 1, updated: 1, failed: 0 },
      results: [{ index: 0, status: 200, outcome: 'updated' as const, guardrails: EXAMPLE, error: null }],
    },
  ),
  errors: [],
  handler: async (ctx, { body: { items } }) => {
    // Two requests that name the same products in different orders would deadlock.
    await lockName(ctx.db, `price_guardrail/${ctx.seller_id}`);
    const known = await productsNamed(
      ctx,
      items.flatMap(({ product_id }) => product_id ?? []),
      items.flatMap(({ seller_sku }) => seller_sku ?? []),
    );
    const ids = new Set(known.map(({ product_id }) => product_id));
    const bySku = new Map(known.map(({ product_id, seller_sku }) => [seller_sku, product_id]));
    const results = [];
    for (const [index, { product_id, seller_sku = '', ...limits }] of items.entries())
      try {
        if (product_id === undefined && seller_sku === '') throw unnamed();
        const id =
          product_id === undefined ? bySku.get(seller_sku) : ids.has(product_id) ? product_id : undefined;
        if (id === undefined) throw missing(`product ${product_id ?? `with the SKU ${seller_sku}`}`);
        const row = await attempt(ctx.db, () => setGuardrails(ctx, id, limits));
        results.push({
          index,
          status: 200,
          outcome: 'updated' as const,
          guardrails: toWire(row),
          error: null,
        });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const refused = itemErrorBody(error, ctx.request_id, () => ['items', index]);
        const { status } = error;
        results.push({ index, status, outcome: 'failed' as const, guardrails: null, error: refused });
      }
    const failed = results.filter(({ outcome }) => outcome === 'failed').length;
    if (failed < items.length) await requestPass(ctx);
    return { body: { counts: { items: items.length, updated: items.length - failed, failed }, results } };
  },
});

export const guardrailRoutes = [set, write];
