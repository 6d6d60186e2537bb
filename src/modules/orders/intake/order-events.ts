/** The marketplace's events about a placed order: payment, cancellation, delivery, returns. */
import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { readTrading } from '../../sellers/index.ts';
import { reserveMissing } from '../actions/change-order.ts';
import { unansweredOf } from '../domain/answer-placement.ts';
import { cancelByMarketplace, requestCancel } from '../domain/cancel.ts';
import { deliverAll, reopenExpired, unheldOf } from '../domain/delivery.ts';
import { capture } from '../domain/money-moves.ts';
import type { Order } from '../domain/order.ts';
import { providerFeeOf } from '../domain/provider-fee.ts';
import { requestReturn } from '../domain/returns.ts';
import { Amount, Name, optionalText, QUANTITY_MAX } from '../schemas/parts.ts';
import { readCancels, readRejected } from '../store/order-history.ts';
import { applyToOrder } from './apply.ts';

const LineUnits = Type.Object({
  order_line_no: Type.Integer({ minimum: 1 }),
  quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
});
const Lines = Type.Array(LineUnits, { minItems: 1, maxItems: 500 });
const byNumber = (
  lines: readonly { readonly order_line_no: number; readonly quantity: number }[] | undefined,
) => lines?.map(({ order_line_no, quantity }) => ({ line_no: order_line_no, quantity }));
const subject = 'order id';
const amountOf = (value: number | null | undefined) => (value == null ? null : minor(value));
const iso = (at: string): string => new Date(at).toISOString();

const paymentCaptured = defineMarketplaceEvent({
  type: 'marketplace.order.payment_captured',
  summary:
    'The buyer’s payment was captured. When orders share a charge, send one event for each order, with `share_of` instead of the fee',
  subject,
  schema: Type.Object({
    charge_id: Name(),
    captured_minor: Amount,
    provider_fee_minor: Type.Optional(Nullable(Amount)),
    provider_transaction_id: optionalText(200),
    charge_total_minor: Type.Optional(Nullable(Amount)),
    charge_provider_fee_minor: Type.Optional(Nullable(Amount)),
    share_of: Type.Optional(
      Nullable(Type.Array(Type.Object({ order_id: Name(), gross_minor: Amount }), { maxItems: 200 })),
    ),
  }),
  example: {
    charge_id: 'ch_1003',
    captured_minor: 3333,
    provider_fee_minor: 68,
    provider_transaction_id: 'txn_9',
  },
  apply: async (ctx, event) => {
    let price: Minor | undefined;
    const outcome = await applyToOrder(ctx, event, { kind: 'order' }, (work) => {
      const { data } = event;
      const { head } = work.order;
      price = head.total_minor;
      const facts = {
        charge_id: data.charge_id,
        captured_minor: minor(data.captured_minor),
        provider_fee_minor: amountOf(data.provider_fee_minor),
        provider_transaction_id: data.provider_transaction_id ?? null,
        charge_total_minor: amountOf(data.charge_total_minor),
        charge_provider_fee_minor: amountOf(data.charge_provider_fee_minor),
        share_of: data.share_of ?? null,
      };
      if (providerFeeOf({ ...head, ...facts }) === undefined)
        throw new IntakeRejection('data_invalid', 'data/share_of must list the order and its amount');
      return capture(work, facts, event.time);
    });
    // The ledger books the order's price; the marketplace bears the difference.
    const differs = outcome.status === 'applied' && price !== minor(event.data.captured_minor);
    return differs ? { ...outcome, warnings: ['amount_mismatch'] } : outcome;
  },
});

const cancelRequested = defineMarketplaceEvent({
  type: 'marketplace.order.cancel_requested',
  summary: 'The buyer asks to cancel. Without an answer by the deadline, the request is granted',
  subject,
  schema: Type.Object({ request_id: Name(), lines: Type.Optional(Lines), reason: optionalText(200) }),
  example: { request_id: 'crq_1', lines: [{ order_line_no: 1, quantity: 1 }], reason: 'changed_mind' },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, { kind: 'order', actor: 'buyer' }, async (work, acting) => {
      const { request_id: id, lines, reason } = event.data;
      const { time } = event;
      const cancels = await readCancels(acting, work.order.head.order_id);
      return requestCancel(work, { id, lines: byNumber(lines), reason: reason ?? null, time, cancels });
    }),
});

/** Units that expired here without an answer: the seller may have accepted and sent them elsewhere. */
async function readUnanswered(at: SellerDb, order: Order): Promise<ReadonlyMap<string, number>> {
  const { expired_at, order_id } = order.head;
  if (expired_at === null) return new Map();
  return unansweredOf(order, await readRejected(at, order_id));
}

const cancelled = defineMarketplaceEvent({
  type: 'marketplace.order.cancelled',
  summary:
    'The buyer or the marketplace cancels units. Without `lines`, all open units, or those of the request that it answers',
  subject,
  schema: Type.Object({
    lines: Type.Optional(Lines),
    by: optionalText(50),
    reason: optionalText(500),
    request_id: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            'The `order.cancel_requested` that it answers. Units that the seller or the deadline has cancelled for this request are not cancelled again',
        }),
      ),
    ),
  }),
  example: {
    lines: [{ order_line_no: 1, quantity: 1 }],
    by: 'buyer',
    reason: 'changed_mind',
    request_id: 'crq_1',
  },
  apply: (ctx, event) => {
    const { lines, by, reason, request_id } = event.data;
    return applyToOrder(
      ctx,
      event,
      { kind: 'order', part: 'request_not_found', actor: by === 'buyer' ? 'buyer' : 'marketplace' },
      async (work, acting) =>
        cancelByMarketplace(work, {
          lines: byNumber(lines),
          by: by ?? 'marketplace',
          reason: reason ?? null,
          request_id: request_id ?? null,
          time: event.time,
          others: await readCancels(acting, work.order.head.order_id),
          unanswered: await readUnanswered(acting, work.order),
        }),
    );
  },
});

const delivered = defineMarketplaceEvent({
  type: 'marketplace.order.delivered',
  summary:
    'All open and shipped units were delivered, also when acceptance or dispatch was recorded elsewhere',
  subject,
  schema: Type.Object({ delivered_at: Type.Optional(Instant()) }),
  example: { delivered_at: '2026-06-30T14:30:00Z' },
  apply: (ctx, event) => {
    const { delivered_at } = event.data;
    const instants = { 'data/delivered_at': delivered_at };
    return applyToOrder(ctx, event, { kind: 'order', instants }, async (work, acting) => {
      reopenExpired(work, await readUnanswered(acting, work.order));
      await reserveMissing(acting, work, unheldOf(work.order));
      return deliverAll(work, iso(delivered_at ?? event.time));
    });
  },
});

const returnRequested = defineMarketplaceEvent({
  type: 'marketplace.return.requested',
  summary: 'The buyer asks to return delivered units',
  subject,
  schema: Type.Object({
    return_id: Name(),
    lines: Type.Array(Type.Object({ ...LineUnits.properties, reason: optionalText(200) }), {
      minItems: 1,
      maxItems: 500,
    }),
    respond_by: Type.Optional(Nullable(Instant())),
  }),
  example: {
    return_id: 'rtn_ext_1',
    lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }],
    respond_by: '2026-07-04T00:00:00Z',
  },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, { kind: 'order', actor: 'buyer' }, async (work, acting) => {
      const { return_id: id, lines, respond_by } = event.data;
      const { return_policy } = await readTrading(acting, event.time);
      return requestReturn(work, {
        id,
        lines: lines.map((line) => ({
          line_no: line.order_line_no,
          quantity: line.quantity,
          reason: line.reason ?? null,
        })),
        respond_by: respond_by == null ? null : iso(respond_by),
        return_policy,
        time: event.time,
      });
    }),
});

export const orderEvents = [paymentCaptured, cancelRequested, cancelled, delivered, returnRequested];
