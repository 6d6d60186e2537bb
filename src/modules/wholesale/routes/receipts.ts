import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { productErrors } from '../../products/index.ts';
import { bookReceipt, reverseReceipt } from '../actions/receive.ts';
import { wholesaleErrors } from '../errors.ts';
import { ORDER_PARAMS } from '../schemas/orders.ts';
import { NOTE_CHARS_MAX, words } from '../schemas/parts.ts';
import {
  BOOKED_EXAMPLE,
  BookedReceipt,
  RECEIPT_EXAMPLE,
  RECEIPT_INPUT_EXAMPLE,
  Receipt,
  ReceiptInput,
  toReceipt,
} from '../schemas/receipts.ts';
import { purchases } from '../store/orders.ts';
import { receiptsOf } from '../store/receipts.ts';
import { dryRun, marked, tried } from './moves.ts';
import { lockAsked, onePath } from './orders.ts';

/** Who opens the boxes books them, and cannot order. */
const write = writes('shipping');
const ok = [
  { status: 201, description: 'The receipt', schema: BookedReceipt, example: BOOKED_EXAMPLE },
] as const;

const list = pageRoute({
  id: 'wholesale.receipts.list',
  path: `${onePath}/receipts`,
  summary: 'List the receipts of a purchase order',
  description: 'Newest first, with reversals.',
  access: reads('purchasing'),
  params: ORDER_PARAMS,
  schema: Receipt,
  example: RECEIPT_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { after, limit }, { purchase_order_id = '' }) => {
    requireFound(await purchases.find(ctx, { purchase_order_id }));
    return receiptsOf(ctx, purchase_order_id, { after, limit });
  },
  position: ({ receipt_id }) => [receipt_id],
  view: toReceipt,
});

const book = defineRoute({
  id: 'wholesale.receipts.create',
  method: 'POST',
  path: `${onePath}/receipts`,
  params: ORDER_PARAMS,
  query: dryRun,
  summary: 'Book goods that have arrived',
  description:
    'Good units go into the stock of the product; rejected ones stay owed. The unit cost for profitability counts from the day of the first receipt. What comes beyond the order is booked with `POST /products/inventory/adjust`.',
  access: write,
  rehearsable: true,
  body: { kind: 'json', schema: ReceiptInput, example: RECEIPT_INPUT_EXAMPLE },
  ok,
  errors: [
    coreErrors.not_found,
    coreErrors.precondition_failed,
    coreErrors.conflict,
    moveErrors.invalid_transition,
    wholesaleErrors.quantity_exceeds_outstanding,
    wholesaleErrors.receipt_reference_used,
    productErrors.stock_mirrored,
  ],
  handler: async (ctx, { params, query, headers, body }) => {
    const run = async () => bookReceipt(ctx, await lockAsked(ctx, params, headers), body);
    return { status: 201, body: await tried(ctx, query, run), ...marked(query) };
  },
});

const reverse = defineRoute({
  id: 'wholesale.receipts.reverse',
  method: 'POST',
  path: '/receipts/{receipt_id}/reverse',
  params: Type.Object({ receipt_id: Type.String({ description: 'Id of the receipt, `rec_…`' }) }),
  summary: 'Take a receipt back',
  description:
    'Only the latest receipt of the order that stands, and only while every product has the units free. The docket can be booked again.',
  access: write,
  body: {
    kind: 'json',
    schema: Type.Object(
      { reason: words(NOTE_CHARS_MAX, 'Why') },
      { title: 'ReceiptReversalInput', description: 'Why it is taken back.' },
    ),
    example: { reason: 'Booked on the wrong order' },
  },
  ok,
  errors: [
    coreErrors.not_found,
    coreErrors.conflict,
    wholesaleErrors.receipt_reversed,
    wholesaleErrors.not_last_receipt,
    productErrors.insufficient_stock,
    productErrors.stock_mirrored,
  ],
  handler: async (ctx, { params, body }) => ({
    status: 201,
    body: await reverseReceipt(ctx, params.receipt_id, body.reason),
  }),
});

export const receiptRoutes = [list, book, reverse];
