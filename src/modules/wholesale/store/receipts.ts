/** Receipts of purchase orders. A reversal is a row of its own that names the receipt. */
import { instant, json, nullable, text } from '../../../platform/db/columns.ts';
import { part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { ReceiptLine } from '../domain/receipt-line.ts';

export const receipts = defineTable('receipt', ['receipt_id'], {
  receipt_id: text,
  purchase_order_id: text,
  reference: text,
  note: nullable(text),
  received_at: instant,
  recorded_at: instant,
  recorded_by: text,
  lines: json<readonly ReceiptLine[]>(),
  reverses: nullable(text),
  reason: nullable(text),
  reversed_by: nullable(text),
});
export type ReceiptRow = RowIn<typeof receipts>;

/** The receipt of an order with this reference that stands. */
export const receiptNamed = (at: SellerDb, orderId: string, reference: string) =>
  receipts.one(
    at,
    part`purchase_order_id = ${orderId}
         and reference = ${reference}
         and reverses is null
         and reversed_by is null`,
  );

/** The latest receipt of an order that stands. */
export const lastReceipt = (at: SellerDb, orderId: string) =>
  receipts.one(
    at,
    part`purchase_order_id = ${orderId}
         and reverses is null
         and reversed_by is null
       order by receipt_id desc
       limit 1`,
  );

export const markReversed = (at: SellerDb, receiptId: string, by: string): Promise<number> =>
  receipts.change(at, part`reversed_by = ${by}`, part`receipt_id = ${receiptId}`);

/** A page of the receipts of an order, newest first. */
export const receiptsOf = (
  at: SellerDb,
  orderId: string,
  page: Pick<Parameters<typeof receipts.page>[1], 'after' | 'limit'>,
): Promise<ReceiptRow[]> =>
  receipts.page(at, {
    ...page,
    where: part`purchase_order_id = ${orderId}`,
    ...{ order: ['receipt_id'], descending: true },
  });
