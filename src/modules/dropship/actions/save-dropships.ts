/** Saves dropship orders after a change, and tells what has happened. Source: docs/design/supply.md#dropship-orders. */
import { isDeepStrictEqual } from 'node:util';
import type { Acting } from '../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { type Minor, minorOrNull } from '../../../kernel/money.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { type Order, shipToWire } from '../../orders/index.ts';
import { attentionOf } from '../domain/attention.ts';
import { costsOf, termsOf } from '../domain/costs.ts';
import { type Fact, type FoldedLine, newLine, statusOf } from '../domain/fold.ts';
import { closedNow, linesNow } from '../domain/supplying.ts';
import { dropshipEvents } from '../events.ts';
import { ADDRESS_PARTS, dropshipOrderToWire } from '../schemas/dropship-order.ts';
import {
  appendFacts,
  type DropshipLineRow,
  type DropshipOrder,
  dropshipLines,
  dropshipOrders,
} from '../store/dropship-orders.ts';
import type { Opened } from './dropship-orders.ts';
import { mirrorSoon } from './mirror.ts';

/** The rows of the lines as the facts and the order say. */
function linesOf(order: Order, { row, lines, supplying }: Opened, fee: Minor, freight: Minor | null) {
  const now = linesNow(order, supplying);
  const closed = closedNow(order, supplying);
  const terms = termsOf(supplying.facts);
  const costed = lines.map((facts) => ({
    facts,
    line: now.get(facts.order_line_id) ?? newLine(),
    unit_cost_minor: minorOrNull(terms.unitCost(facts.order_line_id)) ?? facts.unit_cost_minor,
  }));
  const costs = costsOf(costed, fee, freight);
  return costed.flatMap(({ facts, line, unit_cost_minor }, index): DropshipLineRow[] => {
    const cost = costs[index];
    if (cost === undefined) return [];
    const { routed, queued, sent, accepted_open, shipped, returned, cancelled, shipped_after_cancel } = line;
    const { acceptances } = line;
    return [
      {
        ...{ dropship_order_id: row.dropship_order_id, order_line_id: facts.order_line_id },
        ...{ line_no: facts.line_no, product_id: facts.product_id, listing_id: facts.listing_id },
        ...{ supplier_item_id: facts.supplier_item_id, supplier_sku: facts.supplier_sku },
        ...{ seller_sku: facts.seller_sku, title: facts.title, unit_cost_minor },
        ...{ routed, queued, sent, accepted_open, shipped, returned, cancelled, shipped_after_cancel },
        ...{ closed: closed.get(facts.order_line_id) ?? 0, acceptances: [...acceptances] },
        last_accepted_at: acceptances.reduce<string | null>(
          (last, { at }) => (last === null || at > last ? at : last),
          null,
        ),
        ...cost,
      },
    ];
  });
}

/** A dropship order as it was, as it is, and what was added to it. */
interface Change {
  readonly before: DropshipOrder | undefined;
  readonly after: DropshipOrder;
  readonly added: readonly Fact[];
  readonly withdrawn: Opened['withdrawn'];
  readonly order: Order;
}

const sumOf = (
  lines: readonly DropshipLineRow[] | undefined,
  name: keyof FoldedLine & keyof DropshipLineRow,
) => (lines ?? []).reduce((sum, line) => sum + Number(line[name]), 0);

/** Why units came back, or went. */
const REASONS: Readonly<Partial<Record<Fact['kind'], string>>> = {
  ...{ answer: 'rejected', supplier_cancel: 'supplier_cancelled', no_answer: 'no_answer' },
  ...{ no_time: 'no_time_left', take_over: 'taken_over', delivered: 'delivered_elsewhere' },
  ...{ cancel_accepted: 'order_cancelled', cancel_waiting: 'order_cancelled' },
};
const reasonOf = (added: readonly Fact[], kinds: readonly Fact['kind'][]): string | null =>
  REASONS[added.findLast(({ kind }) => kinds.includes(kind))?.kind ?? 'route'] ?? null;

function supplierLines(
  { after }: Change,
  units: readonly { readonly order_line_id: string; readonly units: number }[],
) {
  return units.flatMap(({ order_line_id, units: quantity }) =>
    after.lines
      .filter((line) => line.order_line_id === order_line_id)
      .map(({ line_no, supplier_item_id, supplier_sku, title }) => ({
        ...{ line_no, supplier_item_id, supplier_sku, title, quantity },
      })),
  );
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function toSupplier(change: Change): DeclaredEvent[] {
  const { before, after, added, withdrawn, order } = change;
  const { row } = after;
  const shared = {
    ...{ dropship_order_id: row.dropship_order_id, supplier_id: row.supplier_id, version: row.version },
  };
  const ship_to = shipToWire(order.head.ship_to);
  const sent = added.flatMap((fact) => (fact.kind === 'send' ? [fact] : []));
  const released = after.lines.map(({ order_line_id, accepted_open }) => ({
    order_line_id,
    units:
      accepted_open -
      (before?.lines.find((line) => line.order_line_id === order_line_id)?.accepted_open ?? 0),
  }));
  const open = released.filter(({ units }) => units > 0);
  const address = Object.fromEntries(
    Object.entries(ship_to).filter(([name]) => ADDRESS_PARTS.includes(name)),
  );
  const reason = added.some(({ kind }) => kind === 'no_answer') ? 'no_answer' : 'order_cancelled';
  return [
    ...sent.map((fact) =>
      dropshipEvents.sent.of({
        ...shared,
        lines: fact.lines.flatMap((line) =>
          supplierLines(change, [line]).map((one) => ({ ...one, unit_cost_minor: line.unit_cost_minor })),
        ),
        ...{ respond_by: row.respond_by ?? fact.at, currency: row.currency, fee_minor: fact.fee_minor },
        destination: {
          state: textOrNull(ship_to.state),
          postcode: textOrNull(ship_to.postcode),
          country: textOrNull(ship_to.country),
        },
        buyer: { alias: order.head.buyer_alias },
      }),
    ),
    ...(open.length === 0
      ? []
      : [
          dropshipEvents.addressReleased.of({
            ...{ ...shared, lines: supplierLines(change, open), ship_to: address },
          }),
        ]),
    ...(withdrawn.length === 0
      ? []
      : [
          dropshipEvents.cancelRequested.of({
            ...{ ...shared, lines: supplierLines(change, withdrawn), reason },
            request_id: `${reason}:${row.version}`,
          }),
        ]),
  ];
}

function toSeller({ before, after, added }: Change): DeclaredEvent[] {
  const object = dropshipOrderToWire(after);
  const grew = (name: 'returned' | 'cancelled' | 'shipped' | 'shipped_after_cancel'): boolean =>
    sumOf(after.lines, name) > sumOf(before?.lines, name);
  const why = (...kinds: Fact['kind'][]) => ({ change: { reason: reasonOf(added, kinds) } });
  const accepted = added.some((fact) => fact.kind === 'answer' && fact.lines.some((one) => one.accepted > 0));
  return [
    ...(before === undefined ? [dropshipEvents.created.of(object)] : []),
    ...(accepted ? [dropshipEvents.accepted.of(object)] : []),
    ...(grew('shipped') || grew('shipped_after_cancel') ? [dropshipEvents.shipped.of(object)] : []),
    ...(grew('cancelled')
      ? [
          dropshipEvents.cancelled.of(
            object,
            why('cancel_accepted', 'cancel_waiting', 'delivered', 'take_over'),
          ),
        ]
      : []),
    ...(grew('returned')
      ? [dropshipEvents.returned.of(object, why('answer', 'supplier_cancel', 'no_answer', 'no_time'))]
      : []),
  ];
}

/** Saves one dropship order. @returns it as it is now; undefined: it has no unit, so there is none */
async function saveOne(ctx: Acting, order: Order, opened: Opened): Promise<DropshipOrder | undefined> {
  const { before, supplying, withdrawn } = opened;
  const { facts } = supplying;
  if (facts.length === 0) return undefined;
  const terms = termsOf(facts);
  const fee_minor = minorOrNull(terms.fee) ?? opened.row.fee_minor;
  const freight_minor = minorOrNull(terms.freight);
  const lines = linesOf(order, opened, fee_minor, freight_minor).filter(({ routed }) => routed > 0);
  const row = {
    ...{ ...opened.row, fee_minor, freight_minor, status: statusOf(lines) },
    ...attentionOf(order, linesNow(order, supplying)),
  };
  if (isDeepStrictEqual(before, { row, lines, facts })) return before;
  const { version: _, ...change } = row;
  const saved =
    before === undefined
      ? { ...row, version: 1 }
      : await writeVersion(dropshipOrders, ctx, before.row, change);
  if (before === undefined && !(await dropshipOrders.insert(ctx, saved)))
    throw new Error(`${row.order_id} has a dropship order of ${row.supplier_id} already`);
  await dropshipLines.upsertMany(ctx, lines);
  const known = before?.facts.length ?? 0;
  const added = facts.slice(known);
  await appendFacts(ctx, row.dropship_order_id, known, added);
  const after = { row: saved, lines, facts };
  const told = { before, after, added, withdrawn, order };
  await ctx.emit(...toSeller(told), ...toSupplier(told));
  return after;
}

/** Saves opened dropship orders. The mirror follows what they promise. */
export async function saveDropships(
  ctx: Acting,
  order: Order,
  opened: readonly Opened[],
): Promise<DropshipOrder[]> {
  const saved: DropshipOrder[] = [];
  for (const one of opened) {
    const after = await saveOne(ctx, order, one);
    if (after !== undefined) saved.push(after);
  }
  if (opened.length > 0) await mirrorSoon(ctx);
  return saved;
}
