import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { REJECT_REASONS } from '../domain/receipt-line.ts';
import type { ReceiptRow } from '../store/receipts.ts';
import {
  AT,
  count,
  id,
  LINE_ID,
  LINES_MAX,
  NOTE_CHARS_MAX,
  ORDER_ID,
  PRODUCT_ID,
  QUANTITY_MAX,
  quantity,
  RECEIPT_ID,
  words,
} from './parts.ts';

const RejectedUnits = Type.Object(
  {
    quantity: quantity('Units'),
    reason: StringEnum(REJECT_REASONS, {
      title: 'ReceiptRejectReason',
      description: 'Why they were rejected',
    }),
  },
  { title: 'RejectedUnits', description: 'Units that arrived and were not good. They stay owed.' },
);
const good = Type.Integer({
  minimum: 0,
  maximum: QUANTITY_MAX,
  description: 'Good units; they go into stock',
});
const lineId = id('Id of the line, `pol_…`');
export const ReceiptInput = Type.Object(
  {
    reference: words(100, 'The docket that came with the goods; it can be booked once'),
    received_at: Instant({ description: 'When the goods arrived: within the last 30 days' }),
    note: Type.Optional(Nullable(Type.String({ maxLength: NOTE_CHARS_MAX, description: 'Your own note' }))),
    lines: Type.Array(
      Type.Object(
        {
          ...{ purchase_line_id: lineId, good },
          rejected: Type.Optional(
            Type.Array(RejectedUnits, {
              maxItems: REJECT_REASONS.length,
              description: 'Units that were not good',
            }),
          ),
        },
        { title: 'ReceiptLineInput', description: 'What arrived of a line.' },
      ),
      { minItems: 1, maxItems: LINES_MAX, description: 'What arrived, each line once' },
    ),
  },
  { title: 'ReceiptInput', description: 'Goods that have arrived.' },
);
export type ReceiptInput = Static<typeof ReceiptInput>;

const WARNINGS = ['no_product', 'stock_unknown', 'product_archived'] as const;
const shown = {
  receipt_id: id('Id of the receipt, `rec_…`'),
  purchase_order_id: id('The purchase order, `por_…`'),
  reference: Type.String({ description: 'The docket that came with the goods' }),
  note: Nullable(Type.String({ description: 'Your own note' })),
  received_at: Instant({ description: 'When the goods arrived' }),
  recorded_at: Instant({ description: 'When it was booked' }),
  reverses: Nullable(id('Of a reversal: the receipt that it takes back')),
  reason: Nullable(Type.String({ description: 'Of a reversal: why' })),
  reversed_by: Nullable(id('The reversal that has taken it back')),
};
const line = {
  purchase_line_id: lineId,
  good,
  rejected: Type.Array(RejectedUnits, { description: 'Units that were not good' }),
};
/** A receipt as lists show it. */
export const Receipt = Type.Object(
  {
    ...shown,
    lines: Type.Array(Type.Object(line, { title: 'ReceiptLine', description: 'What arrived of a line.' }), {
      description: 'What arrived',
    }),
  },
  { title: 'Receipt', description: 'Goods that have arrived, or the reversal of such a receipt.' },
);
type WireReceipt = Static<typeof Receipt>;
/** A receipt as its booking answers it. */
export const BookedReceipt = Type.Object(
  {
    ...shown,
    lines: Type.Array(
      Type.Object(
        {
          ...line,
          product_id: Nullable(id('The product that got the units')),
          quantity_on_hand: Nullable(count('Its units on hand afterwards; null: unknown, or no product')),
        },
        { title: 'BookedReceiptLine', description: 'What arrived of a line, and the stock afterwards.' },
      ),
      { description: 'What arrived' },
    ),
    warnings: Type.Array(
      Type.Object(
        {
          purchase_line_id: lineId,
          code: StringEnum(WARNINGS, {
            title: 'ReceiptWarningCode',
            description: 'What is unusual about the line',
          }),
        },
        { title: 'ReceiptWarning', description: 'A line that was booked, with something to know about it.' },
      ),
      {
        description:
          '`no_product`: no stock has moved; `stock_unknown`: it stays unknown; `product_archived`',
      },
    ),
  },
  { title: 'BookedReceipt', description: 'A receipt with the stock after it.' },
);
export type WireBooked = Static<typeof BookedReceipt>;

export const RECEIPT_INPUT_EXAMPLE: ReceiptInput = {
  ...{ reference: 'DKT-8812', received_at: AT },
  lines: [{ purchase_line_id: LINE_ID, good: 30, rejected: [{ quantity: 2, reason: 'damaged' }] }],
};
export const RECEIPT_EXAMPLE: WireReceipt = {
  ...{ receipt_id: RECEIPT_ID, purchase_order_id: ORDER_ID, reference: 'DKT-8812', note: null },
  ...{ received_at: AT, recorded_at: AT, reverses: null, reason: null, reversed_by: null },
  lines: [{ purchase_line_id: LINE_ID, good: 30, rejected: [{ quantity: 2, reason: 'damaged' }] }],
};
export const BOOKED_EXAMPLE: WireBooked = {
  ...RECEIPT_EXAMPLE,
  lines: RECEIPT_EXAMPLE.lines.map((one) => ({ ...one, product_id: PRODUCT_ID, quantity_on_hand: 110 })),
  warnings: [],
};

/** A receipt without the member who booked it. */
export const toReceipt = ({ recorded_by: _, lines, ...row }: ReceiptRow): WireReceipt => ({
  ...row,
  lines: lines.map(({ rejected, ...one }) => ({ ...one, rejected: rejected.map((some) => ({ ...some })) })),
});
