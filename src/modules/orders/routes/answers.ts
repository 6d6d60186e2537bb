import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { reserveMissing } from '../actions/change-order.ts';
import { accept, REJECT_REASONS, reject, shortOf } from '../domain/answer-placement.ts';
import { acceptCancelRequest, cancel, denyCancelRequest } from '../domain/cancel.ts';
import { errors } from '../errors.ts';
import { ACCEPTED_VIEW, PLACED_VIEW } from '../schemas/examples.ts';
import { OrderView } from '../schemas/order.ts';
import { lineChoices, orderParams, requestParams, text, version } from '../schemas/parts.ts';
import { defineAction } from './define-action.ts';
import { answerWithOrder } from './run-action.ts';

const answered = (example: unknown) =>
  [{ status: 200, description: 'The order afterwards', schema: OrderView, example }] as const;

export const AcceptInput = Type.Object(
  { lines: lineChoices, version },
  { title: 'AcceptInput', description: 'Which units to accept.' },
);
const ReasonInput = Type.Object(
  {
    reason: StringEnum(REJECT_REASONS, { description: 'Why the units are rejected or cancelled' }),
    detail: text(1_000, 'Message to the buyer'),
    lines: lineChoices,
    version,
  },
  { title: 'RejectInput', description: 'Which units to reject or cancel, and why.' },
);
const AnswerInput = Type.Object(
  { detail: text(1_000, 'Message to the buyer'), version },
  { title: 'AnswerInput', description: 'The answer to a request of the buyer.' },
);
const outOfStock = { reason: 'out_of_stock', detail: 'The last one broke.' };

const acceptOrder = defineAction({
  id: 'orders.accept',
  path: '/{order_id}/accept',
  summary: 'Accept an order, or some units of it',
  description:
    'Accepts all waiting units. To accept some of them, list them in `lines`; the rest stay waiting. All accepted units must be in stock. The order may be accepted and dispatched while `payment_status` is `pending`; wait for `captured` if you do not want to bear that risk.',
  params: orderParams,
  body: AcceptInput,
  example: { lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 1 }] },
  ok: answered(ACCEPTED_VIEW),
  errors: [
    errors.acceptance_window_passed,
    errors.quantity_exceeds_open,
    errors.insufficient_stock,
    errors.supplied_by_dropship,
  ],
  rule: async (work, { body }, ctx) => {
    await reserveMissing(ctx, work, shortOf(work.order, body.lines, work.now));
    accept(work, body.lines);
  },
  answer: answerWithOrder,
});

const rejectOrder = defineAction({
  id: 'orders.reject',
  path: '/{order_id}/reject',
  summary: 'Reject an order, or some units of it',
  description: 'Rejects all waiting units, or those in `lines`. A rejected unit cannot be accepted later.',
  params: orderParams,
  body: ReasonInput,
  example: outOfStock,
  ok: answered(PLACED_VIEW),
  errors: [errors.acceptance_window_passed, errors.quantity_exceeds_open],
  rule: (work, { body }) => reject(work, { reason: body.reason, detail: body.detail }, body.lines),
  answer: answerWithOrder,
});

const cancelOrder = defineAction({
  id: 'orders.cancel',
  path: '/{order_id}/cancel',
  summary: 'Cancel accepted units that are not dispatched',
  description: 'Draft parcels with cancelled units are unpacked and their labels voided.',
  params: orderParams,
  body: ReasonInput,
  example: outOfStock,
  ok: answered(ACCEPTED_VIEW),
  errors: [errors.quantity_exceeds_open],
  rule: (work, { body }) => cancel(work, { reason: body.reason, detail: body.detail }, body.lines),
  answer: answerWithOrder,
});

const acceptRequest = defineAction({
  id: 'orders.cancel_requests.accept',
  path: '/{order_id}/cancel-requests/{request_id}/accept',
  summary: 'Grant a buyer’s request to cancel',
  description: 'Cancels all units of the request that are still open.',
  params: requestParams,
  body: AnswerInput,
  example: {},
  ok: answered(ACCEPTED_VIEW),
  errors: [errors.already_answered],
  rule: (work, { params }) => acceptCancelRequest(work, params.request_id),
  answer: answerWithOrder,
});

const denyRequest = defineAction({
  id: 'orders.cancel_requests.deny',
  path: '/{order_id}/cancel-requests/{request_id}/deny',
  summary: 'Deny a buyer’s request to cancel',
  description: 'The units stay accepted and must be dispatched in time.',
  params: requestParams,
  body: AnswerInput,
  example: { detail: 'It is at the door already.' },
  ok: answered(ACCEPTED_VIEW),
  errors: [errors.already_answered],
  rule: (work, { params, body }) => denyCancelRequest(work, params.request_id, body.detail),
  answer: answerWithOrder,
});

export const answerRoutes = [acceptOrder, rejectOrder, cancelOrder, acceptRequest, denyRequest];
