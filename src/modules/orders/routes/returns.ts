import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { okJson } from '../../../platform/http/define-route.ts';
import { holdStock } from '../../products/index.ts';
import type { Changed } from '../actions/change-order.ts';
import type { Order, OrderReturn } from '../domain/order.ts';
import {
  acceptReturn,
  inspectReturn,
  REFUSE_REASONS,
  receiveReturn,
  refuseReturn,
} from '../domain/returns.ts';
import { errors } from '../errors.ts';
import { RETURN_EXAMPLE } from '../schemas/examples.ts';
import { InspectionResult, ReturnResult } from '../schemas/order.ts';
import { QUANTITY_MAX, returnParams, text, version } from '../schemas/parts.ts';
import { returnToWire } from '../schemas/to-wire.ts';
import { defineAction } from './define-action.ts';
import { orderStateOf } from './run-action.ts';

const oli = 'oli_06fh5m2k9x0008m1q4t7v2w5y8';
const answered = (status: string) =>
  [
    {
      status: 200,
      description: 'The return afterwards',
      schema: ReturnResult,
      example: { ...RETURN_EXAMPLE, status, order_status: 'delivered', order_version: 6 },
    },
  ] as const;
const answerWithReturn = (_ctx: unknown, { order, result }: Changed<OrderReturn>) => ({
  body: { ...returnToWire(order, result), ...orderStateOf(order) },
  etag: String(result.version),
});
/** The entity tag of a return. Without such a return the rule answers 404. */
const returnTag =
  ({ return_id }: { readonly return_id: string }) =>
  ({ returns }: Order): string =>
    String(returns.find((one) => one.return_id === return_id)?.version ?? '');
const action = { params: returnParams, tag: returnTag, answer: answerWithReturn } as const;
const OWN_VERSION =
  '`If-Match` is compared with the version of the return, `version` with that of the order.';

const AnswerInput = Type.Object(
  { detail: text(1_000, 'Message to the buyer'), version },
  { title: 'ReturnAnswerInput', description: 'The acceptance of a return.' },
);
const RefuseInput = Type.Object(
  {
    reason: StringEnum(REFUSE_REASONS, { description: 'Why the return is refused' }),
    detail: text(1_000, 'Message to the buyer'),
    version,
  },
  { title: 'ReturnRefusalInput', description: 'The refusal of a return.' },
);
const lineId = Type.String({ maxLength: 100 });
const ReceiveInput = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          order_line_id: lineId,
          quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX, description: 'Units that arrived' }),
        }),
        {
          minItems: 1,
          maxItems: 500,
          description: 'What arrived; defaults to everything that was announced',
        },
      ),
    ),
    version,
  },
  { title: 'ReturnReceiptInput', description: 'The receipt of returned goods.' },
);
const fitForSale = Type.Boolean({ description: 'Whether the units can be sold again' });
const backIntoStock = Type.Boolean({
  description: 'Whether to put the units back into stock; defaults to `compliant`',
});
const InspectInput = Type.Object(
  {
    compliant: Type.Optional(fitForSale),
    restock: Type.Optional(backIntoStock),
    note: text(1_000, 'What the inspection found'),
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          order_line_id: lineId,
          compliant: fitForSale,
          restock: Type.Optional(backIntoStock),
          note: text(1_000, 'What the inspection found'),
        }),
        { minItems: 1, maxItems: 500, description: 'Findings by line, where they differ' },
      ),
    ),
    version,
  },
  { title: 'ReturnInspectionInput', description: 'The inspection of returned goods.' },
);

const accept = defineAction({
  ...action,
  id: 'orders.returns.accept',
  path: '/{order_id}/returns/{return_id}/accept',
  summary: 'Accept a return',
  description: OWN_VERSION,
  body: AnswerInput,
  example: {},
  ok: answered('accepted'),
  rule: (work, { params, body }) => acceptReturn(work, params.return_id, body.detail),
});

const refuse = defineAction({
  ...action,
  id: 'orders.returns.refuse',
  path: '/{order_id}/returns/{return_id}/refuse',
  summary: 'Refuse a return',
  description: OWN_VERSION,
  body: RefuseInput,
  example: { reason: 'not_eligible', detail: 'Made to order.' },
  ok: answered('refused'),
  rule: (work, { params, body }) => refuseReturn(work, params.return_id, body.reason, body.detail),
});

const receive = defineAction({
  ...action,
  id: 'orders.returns.receive',
  path: '/{order_id}/returns/{return_id}/receive',
  summary: 'Record the receipt of a return',
  description: OWN_VERSION,
  body: ReceiveInput,
  example: { lines: [{ order_line_id: oli, quantity: 1 }] },
  ok: answered('received'),
  errors: [errors.quantity_exceeds_open],
  rule: (work, { params, body }) => receiveReturn(work, params.return_id, body.lines),
});

const inspect = defineAction({
  ...action,
  id: 'orders.returns.inspect',
  path: '/{order_id}/returns/{return_id}/inspect',
  summary: 'Record the inspection of a return',
  description: `Compliant units go back into stock unless \`restock\` says otherwise, or a supplier counts the product. ${OWN_VERSION}`,
  body: InspectInput,
  example: { compliant: true, restock: true },
  ok: okJson('The return afterwards', InspectionResult, {
    ...{ ...RETURN_EXAMPLE, status: 'inspected', order_status: 'delivered', order_version: 6 },
    warnings: [],
  }),
  rule: async (work, { params, body }, ctx) => {
    const products = work.order.lines.flatMap(({ product_id }) => product_id ?? []);
    const held = await holdStock(ctx.db, ctx.seller_id, [...new Set(products)], ctx.at());
    const mirrored = held.filter(({ stock_source }) => stock_source === 'supplier');
    const ids = new Set(mirrored.map(({ product_id }) => product_id));
    return inspectReturn(work, params.return_id, body, ids);
  },
  answer: (ctx, { order, result: { found, keptOut } }) => {
    const { body, etag } = answerWithReturn(ctx, { order, result: found });
    const warnings = keptOut.map((order_line_id) => ({ order_line_id, code: 'stock_mirrored' as const }));
    return { body: { ...body, warnings }, etag };
  },
});

export const returnRoutes = [accept, refuse, receive, inspect];
