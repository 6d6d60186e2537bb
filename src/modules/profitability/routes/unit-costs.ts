import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { ApiError, coreErrors, missing, requireFound } from '../../../kernel/errors.ts';
import { nameFilter } from '../../../kernel/schema.ts';
import { attempt } from '../../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { enterCost, followUnitCosts } from '../actions/enter-cost.ts';
import {
  BULK_MAX,
  COST_EXAMPLE,
  COST_INPUT_EXAMPLE,
  CostInput,
  CostResults,
  CostsInput,
  component,
  toWire,
  UnitCost,
} from '../schemas/unit-cost.ts';
import { findProduct, idsBySku, listCosts, lockAllCosts } from '../store/unit-costs.ts';

const list = pageRoute({
  id: 'profitability.unit_costs.list',
  path: '/unit-costs',
  summary: 'List the known costs',
  description:
    'Those that you have entered, and those of purchase orders from their first receipt on. The one that was entered last stands first. No settlement, invoice or export has them.',
  access: reads('finance'),
  cache: 'no-store',
  filters: {
    sku: nameFilter('Costs of the product with this SKU'),
    product_id: nameFilter('Costs of this product'),
    component: Type.Optional(component),
    as_of: Type.Optional(
      Type.String({ format: 'date', description: 'The Sydney day for `in_force`; by default today' }),
    ),
  },
  schema: UnitCost,
  example: COST_EXAMPLE,
  read: (ctx, { filters: { as_of, ...filter }, after, limit }) => {
    requireDays({ from: as_of });
    return listCosts(ctx, { ...filter, day: as_of ?? sydneyDate(ctx.now()) }, after, limit + 1);
  },
  position: ({ entered_at, cost_id }) => [entered_at, cost_id],
  view: toWire,
});

const entry = {
  access: writes('finance'),
  cache: 'no-store',
  body: { kind: 'json', schema: CostInput, example: COST_INPUT_EXAMPLE },
} as const;
const added = (example: UnitCost) =>
  [{ status: 201, description: 'The entry', schema: UnitCost, example }] as const;
const APPEND =
  'Adds an entry; of two for one day the later one counts. With `If-Match` it is refused (412) if another entry was added since.';

type Headers = Parameters<typeof checkIfMatch>[0];
const lastIs = (headers: Headers) => (costId: string) => checkIfMatch(headers, costId);
const answer = (cost: UnitCost) => ({ body: cost, etag: String(cost.cost_id) });

const ofProduct = defineRoute({
  ...entry,
  id: 'profitability.unit_costs.set',
  method: 'PUT',
  path: '/unit-costs/{product_id}',
  summary: 'Say what a unit of a product costs from a day on',
  description: APPEND,
  params: Type.Object({ product_id: Type.String({ description: 'Id of the product, `prd_…`' }) }),
  ok: added(COST_EXAMPLE),
  errors: [coreErrors.not_found, coreErrors.precondition_failed],
  handler: async (ctx, { params, body, headers }) => {
    const { product_id } = requireFound(await findProduct(ctx, params.product_id));
    const cost = await enterCost(ctx, product_id, body, lastIs(headers));
    await followUnitCosts(ctx);
    return answer(toWire(cost));
  },
});

const ofOrders = defineRoute({
  ...entry,
  id: 'profitability.order_costs.set',
  method: 'PUT',
  path: '/order-costs',
  summary: 'Say what the freight of an order costs from a day on',
  description: `Counts once for each order that left you, and is shared over its lines in proportion to their sales. ${APPEND}`,
  ok: added({ ...COST_EXAMPLE, product_id: null, seller_sku: null, component: 'external_freight' }),
  errors: [coreErrors.precondition_failed],
  handler: async (ctx, { body, headers }) =>
    answer(toWire(await enterCost(ctx, null, body, lastIs(headers)))),
});

const many = defineRoute({
  id: 'profitability.unit_costs.write',
  method: 'POST',
  path: '/unit-costs/bulk',
  summary: `Say what units of up to ${BULK_MAX} products cost`,
  description:
    'Items are applied in their order. Each gets its own result; a refused one does not stop the others.',
  access: writes('finance'),
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: CostsInput,
    example: { items: [{ seller_sku: 'TIN-S', ...COST_INPUT_EXAMPLE }] },
  },
  ok: okJson('One result per item, in the order of the items', CostResults, {
    counts: { items: 1, created: 1, failed: 0 },
    results: [{ index: 0, status: 201, outcome: 'created' as const, unit_cost: COST_EXAMPLE, error: null }],
  }),
  errors: [],
  handler: async (ctx, { body: { items } }) => {
    await lockAllCosts(ctx);
    const ids = await idsBySku(
      ctx,
      items.map(({ seller_sku }) => seller_sku),
    );
    const results = [];
    for (const [index, { seller_sku, ...input }] of items.entries())
      try {
        const id = ids.get(seller_sku);
        if (id === undefined) throw missing(`product with the SKU ${seller_sku}`);
        const unit_cost = toWire(await attempt(ctx.db, () => enterCost(ctx, id, input)));
        results.push({ index, status: 201, outcome: 'created' as const, unit_cost, error: null });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const body = itemErrorBody(error, ctx.request_id, () => ['items', index]);
        const { status } = error;
        results.push({ index, status, outcome: 'failed' as const, unit_cost: null, error: body });
      }
    const failed = results.filter(({ outcome }) => outcome === 'failed').length;
    if (failed < items.length) await followUnitCosts(ctx);
    return { body: { counts: { items: items.length, created: items.length - failed, failed }, results } };
  },
});

export const unitCostRoutes = [list, ofProduct, ofOrders, many];
