import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import type { Changed } from '../actions/change-order.ts';
import type { OrderReturn } from '../domain/order.ts';
import {
  acceptReturn,
  inspectReturn,
  REFUSE_REASONS,
  receiveReturn,
  refuseReturn,
} from '../domain/returns.ts';
import { errors, ofAction } from '../errors.ts';
import { act, beside } from '../http/act.ts';
import { RETURN_EXAMPLE } from '../schemas/examples.ts';
import { ReturnResult } from '../schemas/order.ts';
import { actionQuery, QUANTITY_MAX, returnParams, text, version } from '../schemas/parts.ts';
import { returnToWire } from '../schemas/to-wire.ts';

const access = {
  auth: 'seller',
  permission: 'orders:write',
  rate: 'write',
  idempotency: 'optional',
} as const;
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
const withReturn = ({ order, result }: Changed<OrderReturn>) => ({
  body: { ...returnToWire(order, result), ...beside(order) },
  etag: String(result.version),
});

const AnswerInput = Type.Object({ detail: text(1_000), version }, { title: 'ReturnAnswerInput' });
const RefuseInput = Type.Object(
  { reason: StringEnum(REFUSE_REASONS), detail: text(1_000), version },
  { title: 'ReturnRefusalInput' },
);
const lineId = Type.String({ maxLength: 100 });
const ReceiveInput = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          order_line_id: lineId,
          quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX }),
        }),
        { minItems: 1, maxItems: 500, description: 'What came; default: everything that was announced' },
      ),
    ),
    version,
  },
  { title: 'ReturnReceiptInput' },
);
const fitForSale = Type.Boolean({ description: 'As it should be' });
const backIntoStock = Type.Boolean({ description: 'Back into the stock; default: when compliant' });
const InspectInput = Type.Object(
  {
    compliant: Type.Optional(fitForSale),
    restock: Type.Optional(backIntoStock),
    note: text(1_000),
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          order_line_id: lineId,
          compliant: fitForSale,
          restock: Type.Optional(backIntoStock),
          note: text(1_000),
        }),
        { minItems: 1, maxItems: 500, description: 'Lines that are judged by themselves' },
      ),
    ),
    version,
  },
  { title: 'ReturnInspectionInput' },
);

const accept = defineRoute({
  id: 'orders.returns.accept',
  method: 'POST',
  path: '/{order_id}/returns/{return_id}/accept',
  summary: 'Let a buyer send units back',
  access,
  params: returnParams,
  query: actionQuery,
  body: { kind: 'json', schema: AnswerInput, example: {} },
  ok: answered('accepted'),
  errors: ofAction,
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => acceptReturn(work, params.return_id, body.detail), answer: withReturn },
    ),
});

const refuse = defineRoute({
  id: 'orders.returns.refuse',
  method: 'POST',
  path: '/{order_id}/returns/{return_id}/refuse',
  summary: 'Refuse a return',
  access,
  params: returnParams,
  query: actionQuery,
  body: { kind: 'json', schema: RefuseInput, example: { reason: 'not_eligible', detail: 'Made to order.' } },
  ok: answered('refused'),
  errors: ofAction,
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      {
        rule: (work) => refuseReturn(work, params.return_id, body.reason, body.detail),
        answer: withReturn,
      },
    ),
});

const receive = defineRoute({
  id: 'orders.returns.receive',
  method: 'POST',
  path: '/{order_id}/returns/{return_id}/receive',
  summary: 'Say that returned goods have come',
  access,
  params: returnParams,
  query: actionQuery,
  body: { kind: 'json', schema: ReceiveInput, example: { lines: [{ order_line_id: oli, quantity: 1 }] } },
  ok: answered('received'),
  errors: [...ofAction, errors.quantity_exceeds_open],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => receiveReturn(work, params.return_id, body.lines), answer: withReturn },
    ),
});

const inspect = defineRoute({
  id: 'orders.returns.inspect',
  method: 'POST',
  path: '/{order_id}/returns/{return_id}/inspect',
  summary: 'Judge returned goods',
  description: 'Compliant units go back into the stock unless `restock` says otherwise.',
  access,
  params: returnParams,
  query: actionQuery,
  body: { kind: 'json', schema: InspectInput, example: { compliant: true, restock: true } },
  ok: answered('inspected'),
  errors: ofAction,
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => inspectReturn(work, params.return_id, body), answer: withReturn },
    ),
});

export const returnRoutes = [accept, refuse, receive, inspect];
