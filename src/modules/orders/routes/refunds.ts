import Type from 'typebox';
import { minor } from '../../../kernel/money.ts';
import { okJson } from '../../../platform/http/define-route.ts';
import { requestRefund } from '../domain/money-moves.ts';
import type { Order } from '../domain/order.ts';
import { linesByName } from '../domain/pick-lines.ts';
import { Refusal } from '../domain/refusal.ts';
import { errors } from '../errors.ts';
import { REFUND_EXAMPLE } from '../schemas/examples.ts';
import { RefundResult } from '../schemas/order.ts';
import { AMOUNT_MAX, orderParams, QUANTITY_MAX, version, Words } from '../schemas/parts.ts';
import { refundToWire } from '../schemas/to-wire.ts';
import { defineAction } from './define-action.ts';
import { orderStateOf } from './run-action.ts';

const RefundInput = Type.Object(
  {
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String({ maxLength: 100 }),
        quantity: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: QUANTITY_MAX,
            description: 'Units that the refund is for; only the amount counts',
          }),
        ),
        amount_minor: Type.Integer({
          minimum: 1,
          maximum: AMOUNT_MAX,
          description: 'Amount to refund on the line, in minor units',
        }),
      }),
      { minItems: 1, maxItems: 500, description: 'What to refund, by line' },
    ),
    reason: Words(500, 'Why the buyer gets the money back'),
    version,
  },
  { title: 'RefundInput', description: 'A refund to request from the marketplace.' },
);

interface Named {
  readonly order_line_id: string;
  readonly quantity?: number;
  readonly amount_minor: number;
}

/** Reads the lines of the body. Shipping lines can be refunded too. */
function partsOf({ lines }: Order, named: readonly Named[]) {
  const lineOf = linesByName(lines, 'order');
  return named.map(({ order_line_id, quantity = 0, amount_minor }, index) => {
    const line = lineOf(order_line_id, index);
    const units = line.kind === 'item' ? line.ordered : 1;
    if (quantity > units)
      throw new Refusal('quantity_exceeds_open', 'The line has fewer units.', {
        facts: { order_line_id, requested: quantity, open: units },
      });
    return { line, quantity, amount_minor: minor(amount_minor) };
  });
}

const create = defineAction({
  id: 'orders.refunds.create',
  path: '/{order_id}/refunds',
  summary: 'Request a refund',
  description: 'The marketplace makes the refund; until then its status is `requested`.',
  idempotency: 'required',
  cache: 'no-store',
  params: orderParams,
  body: RefundInput,
  example: {
    lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 1, amount_minor: 1995 }],
    reason: 'damaged',
  },
  ok: okJson(
    'The requested refund',
    RefundResult,
    { ...REFUND_EXAMPLE, order_status: 'delivered', order_version: 6 },
    201,
  ),
  errors: [errors.quantity_exceeds_open, errors.refund_exceeds_line, errors.refund_exceeds_paid],
  rule: (work, { body }) => requestRefund(work, partsOf(work.order, body.lines), body.reason),
  answer: (_ctx, { order, result }) => ({
    body: { ...refundToWire(order, result), ...orderStateOf(order) },
    etag: String(result.version),
  }),
});

export const refundRoutes = [create];
