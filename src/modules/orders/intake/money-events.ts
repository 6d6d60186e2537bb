/** The marketplace's events about refunds and disputes. The ledger works out what they cost. */
import Type from 'typebox';
import { defineMarketplaceEvent } from '../../../kernel/events.ts';
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import { decideDispute, openDispute } from '../domain/money-moves.ts';
import type { Order, OrderLine } from '../domain/order.ts';
import { createRefund, settleRefund } from '../domain/refunds-by-marketplace.ts';
import { Refusal } from '../domain/refusal.ts';
import { AMOUNT_MAX, Amount, Name, optionalText, QUANTITY_MAX } from '../schemas/parts.ts';
import { applyToOrder } from './apply.ts';

const Positive = Type.Integer({ minimum: 1, maximum: AMOUNT_MAX });
const refund = { kind: 'order', part: 'refund_not_found' } as const;
const dispute = { kind: 'order', part: 'dispute_not_found' } as const;
const subject = 'order id';

function lineNo({ lines }: Order, no: number): OrderLine {
  const line = lines.find(({ line_no }) => line_no === no);
  if (line === undefined) throw new Refusal('line_not_found', `The order has no line ${no}.`);
  return line;
}

const refundCreated = defineMarketplaceEvent({
  type: 'marketplace.refund.created',
  summary: 'The marketplace makes a refund. `seller_refund_id` names the seller’s request, if there was one',
  subject,
  schema: Type.Object({
    refund_id: Name(),
    seller_refund_id: optionalText(200),
    lines: Type.Array(
      Type.Object({
        order_line_no: Type.Integer({ minimum: 1 }),
        quantity: Type.Optional(Type.Integer({ minimum: 0, maximum: QUANTITY_MAX })),
        amount_minor: Positive,
      }),
      { minItems: 1, maxItems: 500 },
    ),
    reason: optionalText(500),
  }),
  example: {
    refund_id: 'rf_1',
    lines: [{ order_line_no: 1, quantity: 1, amount_minor: 1995 }],
    reason: 'damaged',
  },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, refund, (work) => {
      const { refund_id: id, seller_refund_id, lines, reason } = event.data;
      const merged = new Map<number, { quantity: number; amount: Minor }>();
      for (const { order_line_no: no, quantity = 0, amount_minor } of lines) {
        const known = merged.get(no) ?? { quantity: 0, amount: minor(0) };
        merged.set(no, {
          quantity: known.quantity + quantity,
          amount: sumMinor([known.amount, minor(amount_minor)]),
        });
      }
      return createRefund(
        work,
        { id, seller_refund_id: seller_refund_id ?? null, reason: reason ?? null, time: event.time },
        [...merged].map(([no, { quantity, amount }]) => ({
          line: lineNo(work.order, no),
          quantity,
          amount_minor: amount,
        })),
      );
    }),
});

const refundConfirmed = defineMarketplaceEvent({
  type: 'marketplace.refund.confirmed',
  summary: 'A refund has reached the buyer',
  subject,
  schema: Type.Object({ refund_id: Name(), provider_transaction_id: optionalText(200) }),
  example: { refund_id: 'rf_1', provider_transaction_id: 'txn_12' },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, refund, (work) =>
      settleRefund(work, event.data.refund_id, {
        status: 'succeeded',
        at: event.time,
        version: event.object_version,
        provider_transaction_id: event.data.provider_transaction_id ?? null,
      }),
    ),
});

const refundFailed = defineMarketplaceEvent({
  type: 'marketplace.refund.failed',
  summary:
    'A refund failed. With the id of a seller’s request that has no refund yet, the request is declined',
  subject,
  schema: Type.Object({ refund_id: Name(), failure_code: optionalText(100) }),
  example: { refund_id: 'rf_1', failure_code: 'card_expired' },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, refund, (work) =>
      settleRefund(work, event.data.refund_id, {
        status: 'failed',
        at: event.time,
        version: event.object_version,
        failure_code: event.data.failure_code ?? null,
      }),
    ),
});

const disputeOpened = defineMarketplaceEvent({
  type: 'marketplace.dispute.opened',
  summary: 'The buyer disputes the charge with the bank',
  subject,
  schema: Type.Object({
    dispute_id: Name(),
    amount_minor: Positive,
    provider_fee_minor: Type.Optional(Amount),
    respond_by: Type.Optional(Nullable(Instant())),
  }),
  example: {
    dispute_id: 'dp_1',
    amount_minor: 14100,
    provider_fee_minor: 2500,
    respond_by: '2026-07-20T00:00:00Z',
  },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, dispute, (work) => {
      const { dispute_id: id, amount_minor, provider_fee_minor = 0, respond_by } = event.data;
      return openDispute(work, {
        id,
        amount_minor: minor(amount_minor),
        provider_fee_minor: minor(provider_fee_minor),
        respond_by: respond_by == null ? null : new Date(respond_by).toISOString(),
        time: event.time,
      });
    }),
});

const decided = (word: 'lost' | 'won', summary: string, returned: number) =>
  defineMarketplaceEvent({
    type: `marketplace.dispute.${word}`,
    summary,
    subject,
    schema: Type.Object({
      dispute_id: Name(),
      returned_fee_minor: Type.Optional(Nullable(Amount)),
    }),
    example: { dispute_id: 'dp_1', returned_fee_minor: returned },
    apply: (ctx, event) =>
      applyToOrder(ctx, event, dispute, (work) =>
        decideDispute(work, event.data.dispute_id, {
          status: word,
          at: event.time,
          version: event.object_version,
          returned_fee_minor: minor(event.data.returned_fee_minor ?? 0),
        }),
      ),
  });

export const moneyEvents = [
  refundCreated,
  refundConfirmed,
  refundFailed,
  disputeOpened,
  decided('lost', 'The bank decided for the buyer', 0),
  decided('won', 'The bank decided for the seller', 2500),
];
