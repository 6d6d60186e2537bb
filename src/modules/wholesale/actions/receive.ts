/** The seller books goods that have arrived, or takes such a receipt back. */
import type { Acting } from '../../../kernel/context.ts';
import { fail, invalid, requireFound } from '../../../kernel/errors.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { holdStock, moveStock, productErrors } from '../../products/index.ts';
import { purchaseMachine } from '../domain/purchase-machine.ts';
import type { ReceiptLine } from '../domain/receipt-line.ts';
import { wholesaleErrors } from '../errors.ts';
import { purchaseEvents, receiptEvents } from '../events.ts';
import { numberOf } from '../schemas/orders.ts';
import { type ReceiptInput, toReceipt, type WireBooked } from '../schemas/receipts.ts';
import { findPurchase, type LineRow, type Purchase, type PurchaseRow } from '../store/orders.ts';
import { lastReceipt, markReversed, type ReceiptRow, receiptNamed, receipts } from '../store/receipts.ts';
import { addFact } from './add-fact.ts';
import { namedLines, requireOwed } from './end.ts';
import { showRead } from './show-purchase.ts';

const AGE_MAX_MS = 30 * 86_400_000;

interface Arrived {
  readonly line: LineRow;
  readonly said: ReceiptLine;
}
type Held = Awaited<ReturnType<typeof holdStock>>[number];

const rejectedOf = ({ rejected }: ReceiptLine): number =>
  rejected.reduce((sum, { quantity }) => sum + quantity, 0);

/** @throws ApiError 422 `instant_out_of_range` */
function requireRecent(ctx: Acting, { submitted_at }: PurchaseRow, received_at: string): void {
  const instant = Date.parse(received_at);
  const first = Math.max(ctx.now() - AGE_MAX_MS, Date.parse(submitted_at ?? ctx.at()));
  if (instant >= first && instant <= ctx.now()) return;
  const msg =
    'The goods arrived after the order was submitted, within the last 30 days and not in the future.';
  throw invalid([{ loc: ['body', 'received_at'], msg, type: 'instant_out_of_range', input: received_at }]);
}

/** @throws ApiError 404, 409 `quantity_exceeds_outstanding`, 422 */
function arrivedOf(order: Purchase, input: ReceiptInput['lines']): Arrived[] {
  const said = input.map(({ rejected = [], ...line }) => ({ ...line, rejected }));
  const named = namedLines(order, said);
  for (const [index, { line, said: one }] of named.entries()) {
    const quantity = one.good + rejectedOf(one);
    if (quantity === 0) {
      const msg = 'Say how many units were good or rejected, or leave the line out.';
      throw invalid([{ loc: ['body', 'lines', index], msg, type: 'missing' }]);
    }
    requireOwed(line, quantity);
  }
  return named;
}

/** Good units by product. */
function goodUnits(arrived: readonly Arrived[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { line, said } of arrived)
    if (line.product_id !== null && said.good > 0)
      units.set(line.product_id, (units.get(line.product_id) ?? 0) + said.good);
  return units;
}

/** Locks the stock of the products. @throws ApiError 409 `stock_mirrored` */
async function holdOwn(ctx: Acting, units: ReadonlyMap<string, number>): Promise<Held[]> {
  const held = await holdStock(ctx.db, ctx.seller_id, [...units.keys()], ctx.at());
  const mirrored = held.find(({ stock_source }) => stock_source !== 'own');
  if (mirrored !== undefined)
    throw fail(productErrors.stock_mirrored, { facts: { product_id: mirrored.product_id } });
  return held;
}

/** A receipt with the stock after it. @param sign -1 for a reversal */
function booked(
  row: ReceiptRow,
  arrived: readonly Arrived[],
  held: readonly Held[],
  sign: 1 | -1,
): WireBooked {
  const units = goodUnits(arrived);
  const stockOf = (id: string | null) => held.find(({ product_id }) => product_id === id);
  const { lines: _, ...shown } = toReceipt(row);
  return {
    ...shown,
    lines: arrived.map(({ line: { product_id }, said }) => {
      const before = stockOf(product_id)?.quantity_on_hand ?? null;
      const moved = sign * (units.get(product_id ?? '') ?? 0);
      return {
        ...{ purchase_line_id: said.purchase_line_id, good: said.good },
        ...{ rejected: said.rejected.map((one) => ({ ...one })), product_id },
        quantity_on_hand: before === null ? null : before + moved,
      };
    }),
    warnings: arrived.flatMap(({ line: { product_id, purchase_line_id }, said }): WireBooked['warnings'] => {
      if (said.good === 0) return [];
      const stock = stockOf(product_id);
      if (stock === undefined) return [{ purchase_line_id, code: 'no_product' }];
      return [
        ...(stock.quantity_on_hand === null ? [{ purchase_line_id, code: 'stock_unknown' as const }] : []),
        ...(stock.status === 'archived' ? [{ purchase_line_id, code: 'product_archived' as const }] : []),
      ];
    }),
  };
}

const movesOf = (units: ReadonlyMap<string, number>, kind: 'restock' | 'remove') =>
  [...units].map(([product_id, quantity]) => ({ kind, product_id, quantity }));
const reasonOf = ({ number }: PurchaseRow, { receipt_id }: ReceiptRow): string =>
  `${numberOf(number)} ${receipt_id}`;

/**
 * Books goods of a locked order: good units go into stock, rejected ones stay owed.
 *
 * @throws ApiError 404, 409 `invalid_transition`, `quantity_exceeds_outstanding`, `receipt_reference_used`,
 *   `stock_mirrored`, 422 `instant_out_of_range`
 */
export async function bookReceipt(ctx: Acting, before: Purchase, input: ReceiptInput): Promise<WireBooked> {
  const { order } = before;
  const { purchase_order_id } = order;
  const reference = input.reference.trim();
  // First, because the same docket again is the likeliest mistake, also when it has completed the order.
  const earlier = await receiptNamed(ctx, purchase_order_id, reference);
  if (earlier !== undefined)
    throw fail(wholesaleErrors.receipt_reference_used, { facts: { receipt_id: earlier.receipt_id } });
  requireMove(purchaseMachine, 'receive', order.status);
  requireRecent(ctx, order, input.received_at);
  const arrived = arrivedOf(before, input.lines);
  const units = goodUnits(arrived);
  const held = await holdOwn(ctx, units);
  const row: ReceiptRow = {
    ...{ receipt_id: ctx.ids.next('rec_'), purchase_order_id, reference, note: input.note ?? null },
    ...{ received_at: new Date(input.received_at).toISOString(), recorded_at: ctx.at() },
    ...{ recorded_by: ctx.by.id ?? '', lines: arrived.map(({ said }) => said) },
    ...{ reverses: null, reason: null, reversed_by: null },
  };
  await receipts.appendMany(ctx, [row]);
  const { receipt_id, received_at: happened_at } = row;
  const lines = arrived.map(({ line: { line_no }, said }) => ({
    ...{ line_no, good: said.good, rejected: rejectedOf(said) },
  }));
  const fact = { kind: 'received', receipt_id, lines } as const;
  const after = await addFact(ctx, before, { fact_id: `receipt/${receipt_id}`, happened_at, fact });
  await moveStock(ctx, movesOf(units, 'restock'), 'goods_received', reasonOf(order, row));
  await ctx.emit(
    receiptEvents.recorded.of(toReceipt(row)),
    purchaseEvents.received.of(await showRead(ctx, after)),
  );
  return booked(row, arrived, held, 1);
}

/** Locks the order of a receipt. @throws ApiError 404 */
async function lockReceipt(ctx: Acting, receipt_id: string) {
  const found = requireFound(await receipts.find(ctx, { receipt_id }));
  const order = requireFound(await findPurchase(ctx, found.purchase_order_id, 'for update'));
  // Another request may have reversed it before the order was locked.
  return { order, receipt: requireFound(await receipts.find(ctx, { receipt_id })) };
}

/**
 * Takes a receipt back: the units leave the stock and are owed again, or cancelled where the order was closed.
 *
 * @throws ApiError 404, 409 `receipt_reversed`, `not_last_receipt`, `insufficient_stock`, `stock_mirrored`
 */
export async function reverseReceipt(ctx: Acting, receiptId: string, reason: string): Promise<WireBooked> {
  const { order: before, receipt } = await lockReceipt(ctx, receiptId);
  const { purchase_order_id } = receipt;
  if (receipt.reversed_by !== null || receipt.reverses !== null) throw fail(wholesaleErrors.receipt_reversed);
  const last = await lastReceipt(ctx, purchase_order_id);
  if (last !== undefined && last.receipt_id !== receiptId)
    throw fail(wholesaleErrors.not_last_receipt, { facts: { receipt_id: last.receipt_id } });
  const arrived = namedLines(before, receipt.lines);
  const units = goodUnits(arrived);
  const held = await holdOwn(ctx, units);
  for (const { product_id, quantity_on_hand, quantity_reserved } of held) {
    const quantity = units.get(product_id) ?? 0;
    const free = quantity_on_hand === null ? quantity : Math.max(0, quantity_on_hand - quantity_reserved);
    if (quantity > free)
      throw fail(productErrors.insufficient_stock, { facts: { product_id, quantity, free } });
  }
  const row: ReceiptRow = {
    ...{ ...receipt, receipt_id: ctx.ids.next('rec_'), recorded_at: ctx.at(), recorded_by: ctx.by.id ?? '' },
    ...{ reverses: receiptId, reason, reversed_by: null },
  };
  await receipts.appendMany(ctx, [row]);
  await markReversed(ctx, receiptId, row.receipt_id);
  const fact = { kind: 'reversed', receipt_id: row.receipt_id, reverses: receiptId, reason } as const;
  await addFact(ctx, before, { fact_id: `reversal/${row.receipt_id}`, happened_at: ctx.at(), fact });
  await moveStock(ctx, movesOf(units, 'remove'), 'receipt_reversed', reasonOf(before.order, row));
  await ctx.emit(receiptEvents.reversed.of(toReceipt(row)));
  return booked(row, arrived, held, -1);
}
