import Type from 'typebox';
import { coreErrors, requireFound } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/events.ts';
import { moveErrors } from '../../kernel/moves.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import { resource } from '../../platform/rest/resource.ts';
import { estimateOf } from './actions/prices.ts';
import {
  changePromotion,
  createPromotion,
  endPromotion,
  requireUnknown,
  submitPromotion,
  withdrawPromotion,
} from './actions/promotions.ts';
import { marketingErrors } from './errors.ts';
import { promotionEvents } from './events.ts';
import {
  DETAIL_EXAMPLE,
  INPUT_EXAMPLE,
  ORDER_EXAMPLE,
  PROMOTION_EXAMPLE,
  PromotionDetail,
  PromotionOrder,
  promotionStatus,
  schemas,
  toWire,
  toWireUse,
  type WirePromotion,
  WORKFLOW_LIST,
  Workflows,
} from './schemas.ts';
import { type PromotionRow, promotions, usesOf } from './store.ts';

const shared = { ...schemas, id: 'marketing.promotions', area: 'growth', table: promotions } as const;
const listed = resource({ ...shared, example: PROMOTION_EXAMPLE, view: toWire });
const routes = resource({
  ...shared,
  schema: PromotionDetail,
  example: DETAIL_EXAMPLE,
  view: async (row: PromotionRow, ctx) => ({ ...toWire(row), estimate: await estimateOf(ctx, row) }),
});

/** Events have no estimate. */
const told = (event: EventOf<WirePromotion>): EventOf<typeof DETAIL_EXAMPLE> => ({
  ...event,
  of: ({ estimate: _, ...fact }, more) => event.of(fact, more),
});

const { below_floor, promotion_locked, too_many_promotions } = marketingErrors;

const orders = pageRoute({
  id: 'marketing.promotion_orders.list',
  path: '/promotions/{promotion_id}/orders',
  summary: 'List the orders with a discount of a promotion',
  description: 'Newest first. They sum to `used` of the promotion.',
  access: reads('growth'),
  params: Type.Object({ promotion_id: Type.String({ description: 'Id of the promotion, `prm_…`' }) }),
  schema: PromotionOrder,
  example: ORDER_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, page, { promotion_id = '' }) => {
    requireFound(await promotions.find(ctx, { promotion_id }));
    return usesOf(ctx, promotion_id, page);
  },
  position: ({ placed_at, order_id }) => [placed_at, order_id],
  view: toWireUse,
});

const workflows = defineRoute({
  id: 'marketing.workflows.list',
  method: 'GET',
  path: '/workflows',
  summary: 'List the growth workflows and whether they are enabled',
  description: 'There are no routes for a workflow that is unavailable.',
  access: reads('growth'),
  ok: okJson('The workflows', Workflows, WORKFLOW_LIST),
  errors: [],
  handler: async () => ({ body: WORKFLOW_LIST }),
});

export const marketingRoutes = [
  listed.list({ filters: { status: Type.Optional(promotionStatus) } }),
  routes.get(),
  routes.create({
    description: 'It is a draft until it is submitted.',
    body: schemas.input,
    example: INPUT_EXAMPLE,
    errors: [too_many_promotions],
    run: createPromotion,
  }),
  routes.update({
    description:
      'The terms of a draft. Afterwards, until it ends, the budget may rise and the end come earlier.',
    body: schemas.change,
    example: { budget_minor: 80_000 },
    errors: [promotion_locked],
    run: changePromotion,
  }),
  routes.delete({
    description: 'A draft that was never submitted.',
    errors: [promotion_locked],
    run: requireUnknown,
  }),
  routes.move({
    verb: 'submit',
    summary: 'Submit a promotion to the marketplace',
    description:
      'The marketplace decides about it. It begins in the future, and takes no price below its floor in pricing.',
    errors: [below_floor, moveErrors.invalid_transition],
    emits: told(promotionEvents.submitted),
    run: submitPromotion,
  }),
  routes.move({
    verb: 'withdraw',
    summary: 'Withdraw a submitted promotion',
    description: 'It is a draft again.',
    errors: [moveErrors.invalid_transition],
    emits: told(promotionEvents.withdrawn),
    run: withdrawPromotion,
  }),
  routes.move({
    verb: 'end',
    summary: 'End a promotion',
    description: 'At once. Orders that were placed before keep their discount.',
    errors: [moveErrors.invalid_transition],
    emits: told(promotionEvents.ended),
    run: endPromotion,
  }),
  orders,
  workflows,
];
