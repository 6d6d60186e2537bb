import Type from 'typebox';
import { minor } from '../../../kernel/money.ts';
import { requestRefund } from '../domain/money-moves.ts';
import type { Order, OrderLine } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import { errors } from '../errors.ts';
import { REFUND_EXAMPLE } from '../schemas/examples.ts';
import { RefundResult } from '../schemas/order.ts';
import { orderParams, QUANTITY_MAX, version, Words } from '../schemas/parts.ts';
import { refundToWire } from '../schemas/to-wire.ts';
import { beside } from './act.ts';
import { defineAction } from './define-action.ts';

/** Below 2^53, as every amount on the wire. */
const AMOUNT_MAX = 1_000_000_000_000_000;

const RefundInput = Type.Object(
  {
    lines: Type.Array(
      Type.Object({
        order_line_id: Type.String({ maxLength: 100 }),
        quantity: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: QUANTITY_MAX,
            description: 'Units that the refund is for; only the amount is binding',
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
  { title: 'RefundInput', description: 'A refund that the seller asks for.' },
);

interface Named {
  readonly order_line_id: string;
  readonly quantity?: number;
  readonly amount_minor: number;
}

/** Shipping lines too: what was paid for them can be given back. */
function partsOf({ lines }: Order, named: readonly Named[]) {
  const seen = new Set<OrderLine>();
  return named.map(({ order_line_id, quantity = 0, amount_minor }, index) => {
    const at = ['lines', index, 'order_line_id'];
    const line = lines.find((one) => one.order_line_id === order_line_id);
    if (line === undefined)
      throw new Refusal('line_not_found', 'The order has no such line.', { at, input: order_line_id });
    if (seen.has(line))
      throw new Refusal('duplicate_line', 'The line is named twice; send it once.', {
        at,
        input: order_line_id,
      });
    seen.add(line);
    const units = line.kind === 'item' ? line.ordered : 1;
    if (quantity > units)
      throw new Refusal('quantity_exceeds_open', 'The line has fewer units than that.', {
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
  ok: [
    {
      status: 201,
      description: 'The refund, requested',
      schema: RefundResult,
      example: { ...REFUND_EXAMPLE, order_status: 'delivered', order_version: 6 },
    },
  ],
  errors: [errors.quantity_exceeds_open, errors.refund_exceeds_line, errors.refund_exceeds_paid],
  rule: (work, { body }) => requestRefund(work, partsOf(work.order, body.lines), body.reason),
  answer: (_ctx, { order, result }) => ({
    body: { ...refundToWire(order, result), ...beside(order) },
    etag: String(result.version),
  }),
});

export const refundRoutes = [create];
