import Type from 'typebox';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { searchWords } from '../../../kernel/fold-text.ts';
import { STORABLE } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { type ListedSupplier, listedSupplier, suppliersPage } from '../../supply/index.ts';
import { score } from '../domain/scorecard.ts';
import { SCORECARD_EXAMPLE, Scorecard, toWireScorecard } from '../schemas/scorecard.ts';
import { SUPPLIER_EXAMPLE, Supplier, toWireSupplier } from '../schemas/suppliers.ts';
import { ownOrders, scoredOf } from '../store.ts';

const area = 'purchasing';
const WINDOW_DAYS = 180;
const params = Type.Object({ supplier_id: Type.String({ description: 'Id of the supplier, `sup_…`' }) });
const wanted = (description: string) =>
  Type.Optional(Type.String({ maxLength: 400, ...STORABLE, description }));

/** Suppliers with the numbers of the seller's orders at them. */
async function withOwn(ctx: HandlerCtx, suppliers: readonly ListedSupplier[]) {
  const orders = await ownOrders(
    ctx,
    suppliers.map(({ supplier_id }) => supplier_id),
  );
  return suppliers.map((one) => ({ ...one, own_orders: orders.get(one.supplier_id) ?? 0 }));
}

export const supplierRoutes = [
  pageRoute({
    id: 'sourcing.suppliers.list',
    path: '/suppliers',
    summary: 'List suppliers',
    description: 'By name. Suppliers publish themselves to every seller.',
    access: reads(area),
    filters: {
      q: wanted(
        'Words to find in name, description and categories. All words must occur; accents and case do not matter',
      ),
      category: wanted('Suppliers of this category or of one below it, `Home > Kitchen`'),
      ships_from: wanted('Suppliers whose goods come from this state or country, `NSW` or `AU`'),
      dropship: Type.Optional(
        Type.Boolean({ description: 'Suppliers with items that they send to your buyers, or all others' }),
      ),
    },
    schema: Supplier,
    example: SUPPLIER_EXAMPLE,
    read: async (ctx, { filters: { q, ...filters }, after, limit }) =>
      withOwn(ctx, await suppliersPage(ctx.db, { ...filters, words: searchWords(q) }, after, limit)),
    position: ({ name, supplier_id }) => [name, supplier_id],
    view: toWireSupplier,
  }),
  defineRoute({
    id: 'sourcing.suppliers.get',
    method: 'GET',
    path: '/suppliers/{supplier_id}',
    params,
    summary: 'Read a supplier',
    description: 'How it sells, and where its goods come from.',
    access: reads(area),
    ok: okJson('The supplier', Supplier, SUPPLIER_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params: { supplier_id } }) => {
      const row = requireFound(await listedSupplier(ctx.db, supplier_id));
      const [shown] = await withOwn(ctx, [row]);
      const body = toWireSupplier(requireFound(shown));
      return { body, etag: { version: `${supplier_id}.${row.updated_at}`, shown: body } };
    },
  }),
  defineRoute({
    id: 'sourcing.scorecard.get',
    method: 'GET',
    path: '/suppliers/{supplier_id}/scorecard',
    params,
    query: Type.Object({
      window_days: Type.Optional(
        Type.Integer({ minimum: 30, maximum: 365, description: 'Days up to yesterday; default: 180' }),
      ),
    }),
    summary: 'Read how a supplier behaved in your orders',
    description: 'Counted in units, for this answer. A metric below its minimum has counts and no rate.',
    access: reads(area),
    cache: 'no-store',
    ok: okJson('The scorecard', Scorecard, SCORECARD_EXAMPLE),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params: { supplier_id }, query: { window_days = WINDOW_DAYS } }) => {
      requireFound(await listedSupplier(ctx.db, supplier_id));
      const today = sydneyDate(ctx.now());
      const days = { from: addDays(today, -window_days), to: addDays(today, -1) };
      const metrics = score(await scoredOf(ctx, supplier_id, days));
      const body = toWireScorecard(supplier_id, days, metrics, ctx.at());
      // The same figures a moment later have the same tag.
      return { body, etag: { version: supplier_id, shown: { ...body, generated_at: '' } } };
    },
  }),
];
