/**
 * Opens the dropship orders of an order while the order is being changed. First they follow what the order has done,
 * and do what is due; then the caller tells them what the supplier or the seller says; then they are saved.
 * Source: docs/design/supply.md#dropship-orders.
 */
import type { Acting } from '../../../kernel/context.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { type Order, settleSupplied, suppliedWaiting, type Work } from '../../orders/index.ts';
import { itemsOf } from '../../supply/index.ts';
import { respondBy, sendAt } from '../domain/deadlines.ts';
import type { FoldedLine } from '../domain/fold.ts';
import { addFact, followOrder, linesNow, type Supplying, settleNow } from '../domain/supplying.ts';
import {
  type DropshipLineRow,
  type DropshipOrder,
  type DropshipRow,
  lockOfOrder,
  type Offer,
  offersOf,
} from '../store/dropship-orders.ts';

/** What stays of a line while its units move. */
type LineFacts = Pick<
  DropshipLineRow,
  | 'order_line_id'
  | 'line_no'
  | 'product_id'
  | 'listing_id'
  | 'supplier_item_id'
  | 'supplier_sku'
  | 'seller_sku'
  | 'title'
  | 'unit_cost_minor'
>;

/** A dropship order that is being changed. */
export interface Opened {
  /** Undefined: it is new. */
  readonly before: DropshipOrder | undefined;
  row: DropshipRow;
  readonly lines: LineFacts[];
  readonly supplying: Supplying;
  /** Units that the supplier shall not send any more. */
  readonly withdrawn: { readonly order_line_id: string; readonly units: number }[];
}

const knownOf = (lines: readonly DropshipLineRow[]) =>
  new Map(
    lines.map(({ order_line_id, queued, sent, accepted_open, closed }) => [
      order_line_id,
      { queued, sent, accepted_open, closed },
    ]),
  );

function open(known: DropshipOrder): Opened {
  const { row, lines, facts } = known;
  const { supplier_id } = row;
  return {
    ...{ before: known, row, lines: [...lines], withdrawn: [] },
    supplying: {
      supplier_id,
      line_ids: lines.map(({ order_line_id }) => order_line_id),
      ...{ facts: [...facts], known: knownOf(lines) },
    },
  };
}

/** A dropship order of a supplier, without lines. */
function create(ctx: Acting, { head }: Order, offer: Offer): Opened {
  const { supplier_id, supplier_name, currency, fee_minor } = offer;
  const row: DropshipRow = {
    dropship_order_id: ctx.ids.next('dso_'),
    ...{ order_id: head.order_id, order_number: head.order_number, supplier_id, supplier_name, currency },
    ...{ status: 'queued', attention: [], sent_at: null, respond_by: null, act_by: null },
    // It is saved with the first version.
    ...{ fee_minor, freight_minor: null, ...firstVersion(ctx.at()), version: 0 },
  };
  const supplying = { supplier_id, line_ids: [], facts: [], known: new Map() };
  return { before: undefined, row, lines: [], supplying, withdrawn: [] };
}

const unitsWith = (opened: readonly Opened[], orderLineId: string): number =>
  opened
    .flatMap(({ before }) => before?.lines ?? [])
    .filter(({ order_line_id }) => order_line_id === orderLineId)
    .reduce((sum, { queued, sent }) => sum + queued + sent, 0);

/**
 * Gives new units to the suppliers of their listings. The units of a line go to one supplier; others are the seller's.
 */
async function route(ctx: Acting, work: Work, opened: Opened[]): Promise<void> {
  const { order } = work;
  const grown = order.lines.filter(
    (line) => suppliedWaiting(line) > unitsWith(opened, line.order_line_id) && line.product_id !== null,
  );
  if (grown.length === 0) return;
  const offers = new Map(
    (
      await offersOf(
        ctx,
        grown.map(({ product_id }) => product_id ?? ''),
      )
    ).map((offer) => [offer.product_id, offer]),
  );
  const items = await itemsOf(
    ctx.db,
    [...offers.values()].map(({ supplier_item_id }) => supplier_item_id),
  );
  for (const line of grown) {
    const { order_line_id, line_no, seller_sku, title, supplied_accepted: accepted } = line;
    const offer = offers.get(line.product_id ?? '');
    const its = opened.find(({ lines }) => lines.some((one) => one.order_line_id === order_line_id));
    if (offer === undefined || (its !== undefined && its.row.supplier_id !== offer.supplier_id)) {
      const units = { order_line_id, accept: 0, waiting: unitsWith(opened, order_line_id), accepted };
      settleSupplied(work, [units], offer?.supplier_id ?? its?.row.supplier_id ?? '');
      continue;
    }
    if (its !== undefined) continue;
    let mine = opened.find(({ row }) => row.supplier_id === offer.supplier_id);
    if (mine === undefined) {
      mine = create(ctx, order, offer);
      opened.push(mine);
    }
    const { supplier_item_id, listing_id, product_id, unit_cost_minor } = offer;
    const item = items.find((one) => one.supplier_item_id === supplier_item_id);
    mine.lines.push({
      ...{ order_line_id, line_no, product_id, listing_id, supplier_item_id, seller_sku, title },
      ...{ supplier_sku: item?.supplier_sku ?? '', unit_cost_minor },
    });
    mine.supplying.line_ids.push(order_line_id);
  }
}

/** What the order closed of the units that the supplier knows. */
function withdrawClosed({ supplying, withdrawn }: Opened, now: ReadonlyMap<string, FoldedLine>): void {
  const delivered = supplying.facts.filter(({ kind }) => kind === 'delivered');
  for (const [order_line_id, before] of supplying.known) {
    const line = now.get(order_line_id);
    if (line === undefined || delivered.some((fact) => isAbout(fact, order_line_id))) continue;
    const units = before.sent + before.accepted_open - line.sent - line.accepted_open;
    if (units > 0) withdrawn.push({ order_line_id, units });
  }
}
const isAbout = (fact: Supplying['facts'][number], id: string): boolean =>
  fact.kind !== 'correct_parcel' && fact.lines.some(({ order_line_id }) => order_line_id === id);

const unitsIn = (lines: ReadonlyMap<string, FoldedLine>, name: 'queued' | 'sent') =>
  [...lines].map(([order_line_id, line]) => ({ order_line_id, units: line[name] }));
const someOf = (lines: ReadonlyMap<string, FoldedLine>, name: 'queued' | 'sent'): boolean =>
  [...lines.values()].some((line) => line[name] > 0);

/** Units without an answer by the deadline are the seller's. */
function endUnanswered(ctx: Acting, work: Work, { row, supplying, withdrawn }: Opened): void {
  const { respond_by } = row;
  const lines = linesNow(work.order, supplying);
  if (respond_by === null || Date.parse(respond_by) > ctx.now() || !someOf(lines, 'sent')) return;
  const units = unitsIn(lines, 'sent');
  addFact(supplying, 'no_answer', units, { at: respond_by, fact_id: String(row.version) });
  withdrawn.push(...units.filter((one) => one.units > 0));
  settleNow(work, supplying);
}

/** Asks the supplier, or gives the units back if there is no time for an answer. */
async function send(ctx: Acting, work: Work, opened: Opened): Promise<void> {
  const { supplying, row, lines } = opened;
  const now = linesNow(work.order, supplying);
  const { head } = work.order;
  if (!someOf(now, 'queued') || ctx.now() < sendAt(head)) return;
  const at = ctx.at();
  const queued = unitsIn(now, 'queued').filter(({ units }) => units > 0);
  const by = respondBy(head, ctx.now());
  if (by === undefined) {
    addFact(supplying, 'no_time', queued, { at, fact_id: String(row.version) });
    settleNow(work, supplying);
    return;
  }
  const offers = await offersOf(
    ctx,
    lines.map(({ product_id }) => product_id),
  );
  const costOf = (id: string) => {
    const line = lines.find(({ order_line_id }) => order_line_id === id);
    const offer = offers.find(({ listing_id }) => listing_id === line?.listing_id);
    return minorToJson(offer?.unit_cost_minor ?? line?.unit_cost_minor ?? minor(0));
  };
  const fee = offers.find(({ supplier_id }) => supplier_id === row.supplier_id)?.fee_minor ?? row.fee_minor;
  supplying.facts.push({
    ...{ kind: 'send', fee_minor: minorToJson(fee), at, fact_id: `send:${row.version}` },
    lines: queued.map((one) => ({ ...one, unit_cost_minor: costOf(one.order_line_id) })),
  });
  opened.row = { ...row, sent_at: row.sent_at ?? at, respond_by: new Date(by).toISOString() };
}

/** Locks and opens the dropship orders of an order that is locked. */
export async function openDropships(ctx: Acting, work: Work): Promise<Opened[]> {
  const opened = (await lockOfOrder(ctx, work.order.head.order_id)).map(open);
  await route(ctx, work, opened);
  for (const one of opened) {
    followOrder(work.order, one.supplying, ctx.at(), String(one.row.version));
    withdrawClosed(one, linesNow(work.order, one.supplying));
    endUnanswered(ctx, work, one);
    await send(ctx, work, one);
  }
  return opened;
}

/** When something is due in dropship orders, in milliseconds; undefined: nothing is. */
export function nextDue(order: Order, opened: readonly Opened[]): number | undefined {
  const due = opened.flatMap(({ supplying, row }) => {
    const lines = linesNow(order, supplying);
    return [
      ...(someOf(lines, 'queued') ? [sendAt(order.head)] : []),
      ...(someOf(lines, 'sent') && row.respond_by !== null ? [Date.parse(row.respond_by)] : []),
    ];
  });
  return due.length === 0 ? undefined : Math.min(...due);
}
