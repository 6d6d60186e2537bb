import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { Instant } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resource } from '../../../platform/rest/resource.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { supplyErrors } from '../../supply/index.ts';
import { changeDraft, createDraft, requireDraft } from '../actions/drafts.ts';
import { showPurchase } from '../actions/show-purchase.ts';
import {
  ORDER_PARAMS,
  PURCHASE_EXAMPLE,
  PURCHASE_INPUT_EXAMPLE,
  PurchaseChange,
  PurchaseInput,
  PurchaseOrder,
  PurchaseSummary,
  purchaseStatus,
  SUMMARY_EXAMPLE,
  toSummary,
  type WirePurchase,
} from '../schemas/orders.ts';
import { id } from '../schemas/parts.ts';
import { digestsOf, findPurchase, listed, type Purchase, purchases } from '../store/orders.ts';

const area = 'purchasing';
const orders = resource({
  ...{ id: 'wholesale.purchase_orders', path: '/purchase-orders', one: 'purchase order', kind: 'por_' },
  ...{ area, table: purchases, schema: PurchaseOrder, example: PURCHASE_EXAMPLE },
  view: (row, ctx) => showPurchase(ctx, row),
});

const tagOf = ({ purchase_order_id, version }: { purchase_order_id: string; version: number }) =>
  `${purchase_order_id}.${version}`;
/** The answer of a route that changes an order. */
export const answer = (order: WirePurchase) => ({ body: order, etag: shownTag(tagOf(order), order) });

/** Locks the order of a request. @throws ApiError 404, 412 */
export async function lockAsked(
  ctx: HandlerCtx,
  { purchase_order_id }: { readonly purchase_order_id: string },
  headers: Parameters<typeof checkIfMatch>[0],
): Promise<Purchase> {
  const found = requireFound(await findPurchase(ctx, purchase_order_id, 'for update'));
  checkIfMatch(headers, tagOf(found.order));
  return found;
}

export const changed = [
  coreErrors.not_found,
  coreErrors.precondition_failed,
  coreErrors.conflict,
  moveErrors.invalid_transition,
];
export const orderOk = [
  { status: 200, description: 'The purchase order', schema: PurchaseOrder, example: PURCHASE_EXAMPLE },
] as const;
export const onePath = '/purchase-orders/{purchase_order_id}';

const { quantity_below_minimum, quantity_above_maximum, quantity_not_in_packs } = supplyErrors;
/** What speaks against the lines of an order. */
export const lineErrors = [
  coreErrors.not_found,
  supplyErrors.supplier_not_available,
  supplyErrors.currency_mismatch,
  supplyErrors.item_discontinued,
  ...[quantity_below_minimum, quantity_above_maximum, quantity_not_in_packs],
];

const list = pageRoute({
  id: 'wholesale.purchase_orders.list',
  path: '/purchase-orders',
  summary: 'List purchase orders',
  description: 'Newest first, without their lines.',
  access: reads(area),
  filters: {
    status: Type.Optional(purchaseStatus),
    supplier_id: Type.Optional(id('Orders from this supplier')),
    product_id: Type.Optional(id('Orders with a line for this product of yours')),
    overdue: Type.Optional(
      Type.Boolean({ description: 'Whether the answer or a promised delivery of an open order is late' }),
    ),
    updated_since: Type.Optional(Instant({ description: 'Orders that changed at this instant or later' })),
  },
  schema: PurchaseSummary,
  example: SUMMARY_EXAMPLE,
  read: async (ctx, { filters, after, limit }) => {
    const today = sydneyDate(ctx.now());
    const rows = await purchases.page(ctx, {
      where: listed(filters, ctx.at(), today),
      ...{ order: ['purchase_order_id'], descending: true, after, limit },
    });
    const digests = await digestsOf(
      ctx,
      rows.map(({ purchase_order_id }) => purchase_order_id),
    );
    return rows.map((row) => toSummary(row, digests.get(row.purchase_order_id), ctx.at(), today));
  },
  position: ({ purchase_order_id }) => [purchase_order_id],
  view: (row) => row,
});

const update = defineRoute({
  id: 'wholesale.purchase_orders.update',
  method: 'PATCH',
  path: onePath,
  params: ORDER_PARAMS,
  summary: 'Change a purchase order',
  description:
    'Of a draft. A field that the body leaves out keeps its value; `lines` replaces all lines, and prices them anew.',
  access: writes(area),
  body: { kind: 'json', schema: PurchaseChange, example: { reference: 'Winter' } },
  ok: orderOk,
  errors: [...changed, ...lineErrors],
  handler: async (ctx, { params, headers, body }) => {
    const order = await changeDraft(ctx, await lockAsked(ctx, params, headers), body);
    return answer(await showPurchase(ctx, order));
  },
});

export const orderRoutes = [
  list,
  orders.create({
    description:
      'It is a draft until it is submitted; the supplier learns nothing of it. All amounts are what you pay, tax included.',
    body: PurchaseInput,
    example: PURCHASE_INPUT_EXAMPLE,
    errors: lineErrors,
    run: createDraft,
  }),
  orders.get(),
  update,
  orders.delete({
    description: 'Of a draft.',
    errors: [moveErrors.invalid_transition],
    run: requireDraft,
  }),
];
