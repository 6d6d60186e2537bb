/** What suppliers say about dropship orders: answers, parcels and cancellations. The facts are kept in any order. */
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { Instant, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { correctSupplied, type Work } from '../../orders/index.ts';
import { trackingUrl } from '../../shipping/index.ts';
import { requirePast, supplierFields } from '../../supply/index.ts';
import { changeDropship } from '../actions/change-dropship.ts';
import type { Opened } from '../actions/dropship-orders.ts';
import { publishedCost, publishedFee } from '../domain/costs.ts';
import type { Fact } from '../domain/fold.ts';
import { takeFact, takeParcel } from '../domain/supplying.ts';
import { parcelOf } from '../schemas/dropship-order.ts';
import { emptyListings } from '../store/dropship-orders.ts';

const LINES_MAX = 500;
const QUANTITY_MAX = 1_000_000;
const { named, optional, amount } = supplierFields;
const units = (minimum: number) => Type.Integer({ minimum, maximum: QUANTITY_MAX });
const line_no = Type.Integer({ minimum: 1 });
const linesOf = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Array(Type.Object(fields), { minItems: 1, maxItems: LINES_MAX });

const Answered = Type.Object({
  answer_id: named(100),
  lines: linesOf({
    line_no,
    accepted: units(0),
    rejected: units(0),
    reason: optional(StringEnum(['out_of_stock', 'undeliverable', 'other'])),
    unit_cost_minor: optional(amount),
  }),
  fee_minor: optional(amount),
  freight_minor: optional(amount),
  accepted_at: Type.Optional(Instant()),
});
const Shipped = Type.Object({
  supplier_shipment_id: named(100),
  lines: linesOf({ line_no, quantity: units(1) }),
  carrier: named(100),
  tracking_number: named(100),
  shipped_at: Type.Optional(Instant()),
});
const Cancelled = Type.Object({
  cancel_id: named(100),
  lines: linesOf({ line_no, quantity: units(1) }),
  reason: optional(Type.String({ maxLength: 500 })),
});

const STALE: IntakeOutcome = { status: 'stale' };
const invalid = (detail: string) => new IntakeRejection('data_invalid', detail);

interface Told {
  readonly ctx: Acting;
  readonly work: Work;
  readonly opened: Opened;
  /** When it counts: not before the supplier was asked, and not ahead of the clock. */
  readonly at: string;
  /**
   * An instant of the supplier, not before it was asked: a count from before the sale would hide an acceptance that is
   * said to be older, and its units would be for sale again.
   */
  readonly since: (said: string) => string;
  /** The lines of the event, with the ids of the lines of the order. */
  readonly idOf: (lineNo: number) => string;
}

/**
 * Tells a dropship order what its supplier says.
 *
 * @param said instants in the data, by the names of their fields
 * @throws IntakeRejection `seller_not_found`, `order_not_found`, `data_invalid`, and those of `take`
 */
async function tell(
  intake: IntakeCtx,
  event: MarketplaceEvent<{ readonly lines: readonly { readonly line_no: number }[] }>,
  said: Readonly<Record<string, string | undefined>>,
  take: (told: Told) => IntakeOutcome | Promise<IntakeOutcome>,
): Promise<IntakeOutcome> {
  const { seller_id, subject, time, data } = event;
  const instants = Object.entries({ time, ...said }).flatMap(([field, at]) =>
    at === undefined ? [] : [[field, at] as const],
  );
  requirePast(intake, Object.fromEntries(instants));
  const numbers = data.lines.map((line) => line.line_no);
  const twice = numbers.findIndex((no, index) => numbers.indexOf(no) !== index);
  if (twice >= 0) throw invalid(`data/lines/${twice}/line_no: the event names line ${numbers[twice]} twice`);
  const ctx = await actingForSeller(intake, seller_id, 'sellerid must be the seller of the dropship order.');
  const changed = await changeDropship(ctx, subject ?? '', (work, opened) => {
    const { sent_at } = opened.row;
    const asked = sent_at === null ? 0 : Date.parse(sent_at);
    const since = (one: string): string => isoOf(Math.max(Date.parse(one), asked));
    const idOf = (lineNo: number): string => {
      const line = opened.lines.find((one) => one.line_no === lineNo);
      if (line === undefined)
        throw invalid(`data/lines/${numbers.indexOf(lineNo)}/line_no: there is no line ${lineNo}`);
      return line.order_line_id;
    };
    const at = isoOf(Math.min(Date.parse(since(time)), ctx.now()));
    return take({ ctx, work, opened, at, since, idOf });
  });
  if (changed === undefined)
    throw new IntakeRejection('order_not_found', 'The seller has no such dropship order.');
  return changed.result;
}

/** Whether it was told before. @throws IntakeRejection `id_reused` if it said something else then */
function isKnown({ opened }: Told, fact: Fact, same: (known: Fact) => boolean): boolean {
  const known = opened.supplying.facts.find(({ fact_id }) => fact_id === fact.fact_id);
  if (known !== undefined && !same(known))
    throw new IntakeRejection('id_reused', 'The supplier has said something else under this id before.');
  return known !== undefined;
}
const isSame =
  (fact: Fact) =>
  (known: Fact): boolean =>
    isDeepStrictEqual({ ...known, at: '' }, { ...JSON.parse(JSON.stringify(fact)), at: '' });

const unitsGone = () =>
  new IntakeRejection('units_gone', 'Some of these units went back to the seller, who has acted on them.');

/** No supplier asks more than it has published. @throws IntakeRejection `price_above_published` */
function requirePublished({ opened, idOf }: Told, data: Static<typeof Answered>): void {
  const { facts } = opened.supplying;
  const tooMuch = (asked: number | null | undefined, published: number | undefined): boolean =>
    asked != null && published !== undefined && asked > published;
  const line = data.lines.find((one) =>
    tooMuch(one.unit_cost_minor, publishedCost(facts, idOf(one.line_no))),
  );
  if (line !== undefined || tooMuch(data.fee_minor, publishedFee(facts)))
    throw new IntakeRejection(
      'price_above_published',
      'The supplier asks more than it had published when it was asked.',
    );
}

const applyAnswer = (intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Answered>>) => {
  const { data } = event;
  return tell(intake, event, { 'data/accepted_at': data.accepted_at }, async (told) => {
    const { ctx, work, opened, at, since, idOf } = told;
    const lines = data.lines.map(({ line_no: no, accepted, rejected, reason, unit_cost_minor }) => ({
      ...{ order_line_id: idOf(no), accepted, rejected, reason: reason ?? null },
      unit_cost_minor: unit_cost_minor ?? null,
    }));
    const fact: Fact & { readonly kind: 'answer' } = {
      ...{ kind: 'answer', lines, at, fact_id: `answer:${data.answer_id}` },
      accepted_at: since(data.accepted_at ?? event.time),
      ...{ fee_minor: data.fee_minor ?? null, freight_minor: data.freight_minor ?? null },
    };
    if (isKnown(told, fact, isSame(fact))) return STALE;
    requirePublished(told, data);
    const empty = lines.filter(({ rejected, reason }) => rejected > 0 && reason === 'out_of_stock');
    // Listings are locked before the stock.
    if (empty.length > 0)
      await emptyListings(
        ctx,
        opened.lines
          .filter((line) => empty.some(({ order_line_id }) => order_line_id === line.order_line_id))
          .map(({ listing_id }) => listing_id),
        at,
      );
    if (!takeFact(work, opened.supplying, fact)) throw unitsGone();
    return { status: 'applied' };
  });
};

const applyShipped = (intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Shipped>>) => {
  const { data } = event;
  const { supplier_shipment_id, carrier, tracking_number } = data;
  return tell(intake, event, { 'data/shipped_at': data.shipped_at }, (told) => {
    const { work, opened, since, idOf } = told;
    const { facts } = opened.supplying;
    const lines = data.lines.map(({ line_no: no, quantity }) => ({
      ...{ order_line_id: idOf(no), units: quantity },
    }));
    const carried = { carrier, tracking_number, tracking_url: trackingUrl(carrier, tracking_number) };
    const at = since(data.shipped_at ?? event.time);
    const told_at = isoOf(Date.parse(event.time));
    const fact = {
      ...({ kind: 'ship', supplier_shipment_id, lines, ...carried, told_at } as const),
      ...{ at, fact_id: `ship:${supplier_shipment_id}` },
    };
    const known = facts.find(({ fact_id }) => fact_id === fact.fact_id);
    if (known?.kind !== 'ship') {
      const hasRoom = takeParcel(work, opened.supplying, fact);
      return { status: 'applied', ...(hasRoom ? {} : { warnings: ['units_not_open'] }) };
    }
    const told_lines = known.lines.map(({ taken: _, ...line }) => line);
    if (!isDeepStrictEqual(told_lines, lines))
      throw new IntakeRejection('id_reused', 'The supplier has named other units under this id before.');
    const { told_at: known_at, ...before } = parcelOf(facts, known);
    if (known_at >= told_at || isDeepStrictEqual(before, carried)) return STALE;
    facts.push({
      ...{ kind: 'correct_parcel', supplier_shipment_id, ...carried, told_at },
      ...{ at: told_at, fact_id: `correct_parcel:${supplier_shipment_id}:${told_at}` },
    });
    if (known.shipment_id !== null) correctSupplied(work, known.shipment_id, { ...carried, service: null });
    return { status: 'applied' };
  });
};

const applyCancelled = (intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Cancelled>>) => {
  const { data } = event;
  return tell(intake, event, {}, (told) => {
    const { work, opened, at, idOf } = told;
    const lines = data.lines.map(({ line_no: no, quantity }) => ({
      ...{ order_line_id: idOf(no), units: quantity },
    }));
    const fact: Fact & { readonly kind: 'supplier_cancel' } = {
      ...{ kind: 'supplier_cancel', lines, at, fact_id: `supplier_cancel:${data.cancel_id}` },
      reason: data.reason ?? null,
    };
    if (isKnown(told, fact, isSame(fact))) return STALE;
    if (!takeFact(work, opened.supplying, fact)) throw unitsGone();
    return { status: 'applied' };
  });
};

const shared = { subject: 'dropship order id' } as const;
export const dropshipAnswers = [
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.dropship_answered',
    summary:
      'A supplier accepts or rejects units of a dropship order. Units that it does not name wait on. A rejection as `out_of_stock` empties the listing until a later count',
    schema: Answered,
    example: {
      answer_id: 'a-1',
      lines: [
        { line_no: 1, accepted: 9, rejected: 2, reason: 'out_of_stock' as const, unit_cost_minor: 1_840 },
      ],
      ...{ fee_minor: 250, freight_minor: 0, accepted_at: '2026-06-28T01:05:00Z' },
    },
    apply: applyAnswer,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.dropship_shipped',
    summary:
      'A supplier has sent a parcel. Told again with a later time it corrects the carrier and the number. Units that the order has no more are in no parcel: warning `units_not_open`',
    schema: Shipped,
    example: {
      ...{ supplier_shipment_id: 's-9', lines: [{ line_no: 1, quantity: 2 }], carrier: 'australia_post' },
      ...{ tracking_number: '2JD020603601000931508', shipped_at: '2026-06-28T03:00:00Z' },
    },
    apply: applyShipped,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.dropship_cancelled',
    summary: 'A supplier gives units back, or confirms that it does not send cancelled ones',
    schema: Cancelled,
    example: { cancel_id: 'c-2', lines: [{ line_no: 1, quantity: 1 }], reason: 'out_of_stock' },
    apply: applyCancelled,
  }),
];
