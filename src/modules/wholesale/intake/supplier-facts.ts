/** What suppliers do with purchase orders. The facts are kept in any order. */
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type EventOf,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { Instant, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { requirePast, supplierFields } from '../../supply/index.ts';
import { addFact, stateOf } from '../actions/add-fact.ts';
import { showRead } from '../actions/show-purchase.ts';
import type { Fact } from '../domain/purchase.ts';
import { purchaseEvents } from '../events.ts';
import type { WirePurchase } from '../schemas/orders.ts';
import { LINES_MAX, NOTE_CHARS_MAX, ORDER_ID, QUANTITY_MAX } from '../schemas/parts.ts';
import { findPurchase, type LineRow, type Purchase } from '../store/orders.ts';

const CANCEL_REASONS = ['out_of_stock', 'discontinued', 'requested', 'other'] as const;
const { named, optional, amount } = supplierFields;
const lineNo = Type.Integer({ minimum: 1, maximum: LINES_MAX });
const units = Type.Integer({ minimum: 0, maximum: QUANTITY_MAX });
const some = Type.Integer({ minimum: 1, maximum: QUANTITY_MAX });
const day = Type.String({ format: 'date' });
const list = { minItems: 1, maxItems: LINES_MAX };
const quantities = Type.Array(Type.Object({ line_no: lineNo, quantity: some }), list);

const Answered = Type.Object({
  answer_id: named(100),
  lines: Type.Array(
    Type.Object({
      ...{ line_no: lineNo, accepted: units, declined: units },
      reason: optional(Type.String({ maxLength: NOTE_CHARS_MAX })),
      promised_on: optional(day),
      pack_size: optional(some),
      pack_price_minor: optional(amount),
    }),
    list,
  ),
  freight_minor: optional(amount),
});
const Shipped = Type.Object({
  supplier_shipment_id: named(100),
  lines: quantities,
  carrier: optional(named(100)),
  tracking_number: optional(named(100)),
  shipped_at: Instant(),
  expected_on: optional(day),
});
const Cancelled = Type.Object({
  cancel_id: named(100),
  lines: quantities,
  reason: StringEnum(CANCEL_REASONS),
});

const invalid = (detail: string) => new IntakeRejection('data_invalid', detail);
const closed = (detail: string) => new IntakeRejection('order_closed', detail);

interface Told {
  readonly ctx: Acting;
  readonly purchase: Purchase;
  readonly happened_at: string;
}

/**
 * Locks the order of an event and joins its lines with those of the order.
 *
 * @throws IntakeRejection `seller_not_found`, `order_not_found`, `data_invalid`
 */
async function lockNamed<T extends { readonly line_no: number }>(
  intake: IntakeCtx,
  { seller_id, subject, time, data }: MarketplaceEvent<{ readonly lines: readonly T[] }>,
): Promise<
  Told & { readonly said: readonly { readonly line: LineRow; readonly one: T; readonly at: string }[] }
> {
  requirePast(intake, { time });
  const ctx = await actingForSeller(intake, seller_id, 'sellerid must be the seller of the order.');
  const purchase = await findPurchase(ctx, subject ?? '', 'for update');
  // No supplier knows of a draft.
  if (purchase === undefined || purchase.order.status === 'draft')
    throw new IntakeRejection('order_not_found', 'The seller has no such purchase order.');
  const said = data.lines.map((one, index) => {
    const at = `data/lines/${index}`;
    const line = purchase.lines.find(({ line_no }) => line_no === one.line_no);
    if (line === undefined) throw invalid(`${at}/line_no: the order has no line ${one.line_no}`);
    if (data.lines.findIndex(({ line_no }) => line_no === one.line_no) !== index)
      throw invalid(`${at}/line_no: the event has line ${one.line_no} twice`);
    return { line, one, at };
  });
  return { ctx, purchase, happened_at: new Date(time).toISOString(), said };
}

/**
 * Adds a fact of the supplier once, and tells the seller.
 *
 * @param ends until when such a fact may have happened; null: as long as units are owed
 * @throws IntakeRejection `id_reused`, `order_closed`
 */
async function tell(
  { ctx, purchase, happened_at }: Told,
  fact_id: string,
  fact: Fact,
  event: EventOf<WirePurchase>,
  ends: string | null = null,
): Promise<IntakeOutcome> {
  const known = purchase.facts.find((one) => one.fact_id === fact_id);
  if (known !== undefined) {
    if (known.happened_at === happened_at && isDeepStrictEqual(known.fact, fact)) return { status: 'stale' };
    throw new IntakeRejection('id_reused', `The order has another fact ${fact_id}; facts never change.`);
  }
  if (ends !== null && happened_at > ends) throw closed(`The supplier could answer until ${ends}.`);
  const { over_at } = stateOf(purchase);
  if (over_at !== null && happened_at > over_at)
    throw closed(`The supplier owes nothing more since ${over_at}.`);
  const after = await addFact(ctx, purchase, { fact_id, happened_at, fact });
  await ctx.emit(event.of(await showRead(ctx, after)));
  return { status: 'applied' };
}

async function applyAnswer(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Answered>>) {
  const { data } = event;
  const told = await lockNamed(intake, event);
  const { order } = told.purchase;
  const lines = told.said.map(({ line, one, at }) => {
    const { line_no, accepted, declined, reason = null, promised_on = null, pack_price_minor = null } = one;
    if (one.pack_size != null && one.pack_size !== line.pack_size)
      throw new IntakeRejection(
        'price_above_ordered',
        `${at}/pack_size: packs of ${line.pack_size} were ordered`,
      );
    if (pack_price_minor !== null && BigInt(pack_price_minor) > line.ordered_price_minor)
      throw new IntakeRejection(
        'price_above_ordered',
        `${at}/pack_price_minor: ordered at ${line.ordered_price_minor}; decline, and quote anew`,
      );
    return { line_no, accepted, declined, reason, promised_on, pack_price_minor };
  });
  // Freight that was stated at the order stays.
  const freight_minor = order.stated_freight_minor === null ? (data.freight_minor ?? null) : null;
  const cap = order.freight_cap_minor ?? 0n;
  if (freight_minor !== null && BigInt(freight_minor) > cap)
    throw new IntakeRejection('freight_above_cap', `data/freight_minor: the seller pays at most ${cap}`);
  const fact: Fact = { kind: 'answered', lines, freight_minor };
  return tell(told, `answer/${data.answer_id}`, fact, purchaseEvents.answered, order.answer_by);
}

async function applyShipment(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Shipped>>) {
  const { supplier_shipment_id, lines, carrier, tracking_number, shipped_at, expected_on } = event.data;
  requirePast(intake, { 'data/shipped_at': shipped_at });
  const told = await lockNamed(intake, event);
  const fact: Fact = {
    ...{ kind: 'shipped', supplier_shipment_id, lines, carrier: carrier ?? null },
    ...{ tracking_number: tracking_number ?? null, shipped_at: new Date(shipped_at).toISOString() },
    expected_on: expected_on ?? null,
  };
  return tell(told, `shipment/${supplier_shipment_id}`, fact, purchaseEvents.shipped);
}

async function applyCancellation(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Cancelled>>) {
  const { cancel_id, lines, reason } = event.data;
  const told = await lockNamed(intake, event);
  const fact: Fact = { kind: 'cancelled_by_supplier', lines, reason };
  return tell(told, `cancellation/${cancel_id}`, fact, purchaseEvents.cancelled);
}

const shared = { subject: 'purchase order id', example_subject: ORDER_ID } as const;
export const supplierFacts = [
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.order_answered',
    summary: 'A supplier accepts or declines units of a purchase order, at most at the ordered prices',
    schema: Answered,
    example: {
      answer_id: 'a-1',
      lines: [
        {
          ...{ line_no: 1, accepted: 132, declined: 12, reason: null, promised_on: '2026-08-03' },
          pack_price_minor: 5_945,
        },
      ],
      freight_minor: 3_850,
    },
    apply: applyAnswer,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.order_shipped',
    summary: 'A supplier has shipped units of a purchase order; this moves no stock',
    schema: Shipped,
    example: {
      ...{ supplier_shipment_id: 's-1', lines: [{ line_no: 1, quantity: 100 }], carrier: 'startrack' },
      ...{ tracking_number: 'ABC123', shipped_at: '2026-07-01T01:00:00Z', expected_on: '2026-07-03' },
    },
    apply: applyShipment,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.order_cancelled',
    summary: 'A supplier does not deliver units of a purchase order',
    schema: Cancelled,
    example: { cancel_id: 'c-1', lines: [{ line_no: 1, quantity: 4 }], reason: 'out_of_stock' },
    apply: applyCancellation,
  }),
];
