import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { PURCHASE_EXAMPLE, PurchaseOrder } from './schemas/orders.ts';
import { count, id, LINE_ID, ORDER_ID, SUPPLIER, supplier } from './schemas/parts.ts';
import { RECEIPT_EXAMPLE, Receipt } from './schemas/receipts.ts';

const ofOrder = { schema: PurchaseOrder, id: 'purchase_order_id', example: PURCHASE_EXAMPLE } as const;
const ofReceipt = { schema: Receipt, id: 'receipt_id', example: RECEIPT_EXAMPLE } as const;

const CancelRequest = Type.Object(
  {
    purchase_order_id: id('The purchase order, `por_…`'),
    supplier,
    request_id: Type.String({ description: 'Names the request within the order' }),
    lines: Type.Array(
      Type.Object(
        {
          purchase_line_id: id('Id of the line, `pol_…`'),
          line_no: count('Number of the line', 1),
          quantity: count('Confirmed units that the seller does not want any more', 1),
        },
        { title: 'PurchaseCancelLine', description: 'Units of a line.' },
      ),
      { description: 'What the seller asks to cancel' },
    ),
    reason: Type.String({ description: 'Why, in the seller’s words' }),
    version: count('Version of the order', 1),
  },
  { title: 'PurchaseCancelRequest', description: 'The seller asks a supplier to cancel confirmed units.' },
);

export const purchaseEvents = {
  submitted: defineEvent({
    ...ofOrder,
    type: 'purchase_order.submitted',
    summary: 'The seller orders from a supplier',
    marketplace: true,
  }),
  answered: defineEvent({
    ...ofOrder,
    type: 'purchase_order.answered',
    summary: 'The supplier has accepted or declined units of an order',
    notification: { severity: 'info', title: '{supplier.name} has answered {number}' },
  }),
  answerOverdue: defineEvent({
    ...ofOrder,
    type: 'purchase_order.answer_overdue',
    summary: 'The supplier has not answered in time; what it has not answered is cancelled',
    notification: { severity: 'warning', title: '{supplier.name} has not answered {number} in time' },
  }),
  cancelRequested: defineEvent({
    type: 'purchase_order.cancel_requested',
    summary: 'The seller asks the supplier to cancel units that it has confirmed',
    schema: CancelRequest,
    id: 'purchase_order_id',
    example: {
      ...{ purchase_order_id: ORDER_ID, supplier: SUPPLIER, request_id: 'cancel-3', reason: 'Too many' },
      lines: [{ purchase_line_id: LINE_ID, line_no: 1, quantity: 12 }],
      version: 4,
    },
    marketplace: true,
  }),
  cancelled: defineEvent({
    ...ofOrder,
    type: 'purchase_order.cancelled',
    summary:
      'Units of an order do not come: the seller or the supplier has cancelled them, or there was no answer',
    marketplace: true,
  }),
  shipped: defineEvent({
    ...ofOrder,
    type: 'purchase_order.shipped',
    summary: 'The supplier says that it has shipped units',
  }),
  deliveryOverdue: defineEvent({
    ...ofOrder,
    type: 'purchase_order.delivery_overdue',
    summary: 'A promised day has passed and units are still owed',
    notification: { severity: 'warning', title: '{number} of {supplier.name} has not arrived as promised' },
  }),
  received: defineEvent({
    ...ofOrder,
    type: 'purchase_order.received',
    summary: 'Goods of an order have arrived; its status says whether more are owed',
    marketplace: true,
  }),
  closed: defineEvent({
    ...ofOrder,
    type: 'purchase_order.closed',
    summary: 'The seller awaits nothing more of an order',
    marketplace: true,
  }),
};

export const receiptEvents = {
  recorded: defineEvent({ ...ofReceipt, type: 'receipt.recorded', summary: 'A receipt was booked' }),
  reversed: defineEvent({
    ...ofReceipt,
    type: 'receipt.reversed',
    summary: 'A receipt was taken back; the object is the reversal, which names it',
    example: {
      ...RECEIPT_EXAMPLE,
      reverses: RECEIPT_EXAMPLE.receipt_id,
      reason: 'Booked on the wrong order',
    },
  }),
};
