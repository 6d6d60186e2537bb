import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { topUp } from '../actions/change-order.ts';
import { accept, REJECT_REASONS, reject, shortOf } from '../domain/answer-placement.ts';
import { acceptCancelRequest, cancel, denyCancelRequest } from '../domain/cancel.ts';
import { errors, ofAction } from '../errors.ts';
import { act, withOrder } from '../http/act.ts';
import { ACCEPTED_VIEW, PLACED_VIEW } from '../schemas/examples.ts';
import { OrderView } from '../schemas/order.ts';
import { actionQuery, lineChoices, orderParams, requestParams, text, version } from '../schemas/parts.ts';

const access = {
  auth: 'seller',
  permission: 'orders:write',
  rate: 'write',
  idempotency: 'optional',
} as const;
const answered = (example: unknown) =>
  [{ status: 200, description: 'The order afterwards', schema: OrderView, example }] as const;

export const AcceptInput = Type.Object({ lines: lineChoices, version }, { title: 'AcceptInput' });
const ReasonInput = Type.Object(
  {
    reason: StringEnum(REJECT_REASONS),
    detail: text(1_000),
    lines: lineChoices,
    version,
  },
  { title: 'RejectInput' },
);
const AnswerInput = Type.Object({ detail: text(1_000), version }, { title: 'AnswerInput' });
const outOfStock = { reason: 'out_of_stock', detail: 'The last one broke.' };

const acceptOrder = defineRoute({
  id: 'orders.accept',
  method: 'POST',
  path: '/{order_id}/accept',
  summary: 'Accept an order, or some units of it',
  description:
    'Without `lines` all that waits; with them the rest keeps waiting. Every unit must be in stock.',
  access,
  params: orderParams,
  query: actionQuery,
  body: { kind: 'json', schema: AcceptInput, example: {} },
  ok: answered(ACCEPTED_VIEW),
  errors: [
    ...ofAction,
    errors.acceptance_window_passed,
    errors.quantity_exceeds_open,
    errors.insufficient_stock,
  ],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      {
        rule: async (work, change) => {
          await topUp(change, work, shortOf(work.order, body.lines, work.now));
          accept(work, body.lines);
        },
        answer: withOrder(ctx),
      },
    ),
});

const rejectOrder = defineRoute({
  id: 'orders.reject',
  method: 'POST',
  path: '/{order_id}/reject',
  summary: 'Reject an order, or some units of it',
  access,
  params: orderParams,
  query: actionQuery,
  body: { kind: 'json', schema: ReasonInput, example: outOfStock },
  ok: answered({ ...PLACED_VIEW, status: 'rejected' }),
  errors: [...ofAction, errors.acceptance_window_passed, errors.quantity_exceeds_open],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      {
        rule: (work) => reject(work, { reason: body.reason, detail: body.detail }, body.lines),
        answer: withOrder(ctx),
      },
    ),
});

const cancelOrder = defineRoute({
  id: 'orders.cancel',
  method: 'POST',
  path: '/{order_id}/cancel',
  summary: 'Cancel accepted units that are not dispatched',
  description: 'Parcels that hold units which are cancelled are unpacked, and their labels voided.',
  access,
  params: orderParams,
  query: actionQuery,
  body: { kind: 'json', schema: ReasonInput, example: outOfStock },
  ok: answered({ ...ACCEPTED_VIEW, status: 'cancelled' }),
  errors: [...ofAction, errors.quantity_exceeds_open],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      {
        rule: (work) => cancel(work, { reason: body.reason, detail: body.detail }, body.lines),
        answer: withOrder(ctx),
      },
    ),
});

const acceptRequest = defineRoute({
  id: 'orders.cancel_requests.accept',
  method: 'POST',
  path: '/{order_id}/cancel-requests/{request_id}/accept',
  summary: 'Grant a buyer’s request to cancel',
  description: 'Of what it asks for, all that is still open is cancelled.',
  access,
  params: requestParams,
  query: actionQuery,
  body: { kind: 'json', schema: AnswerInput, example: {} },
  ok: answered({ ...ACCEPTED_VIEW, status: 'cancelled' }),
  errors: [...ofAction, errors.already_answered],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => acceptCancelRequest(work, params.request_id), answer: withOrder(ctx) },
    ),
});

const denyRequest = defineRoute({
  id: 'orders.cancel_requests.deny',
  method: 'POST',
  path: '/{order_id}/cancel-requests/{request_id}/deny',
  summary: 'Deny a buyer’s request to cancel',
  access,
  params: requestParams,
  query: actionQuery,
  body: { kind: 'json', schema: AnswerInput, example: { detail: 'It is at the door already.' } },
  ok: answered(ACCEPTED_VIEW),
  errors: [...ofAction, errors.already_answered],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => denyCancelRequest(work, params.request_id, body.detail), answer: withOrder(ctx) },
    ),
});

export const answerRoutes = [acceptOrder, rejectOrder, cancelOrder, acceptRequest, denyRequest];
