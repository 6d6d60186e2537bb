import Type, { type Static } from 'typebox';
import { jsonOrNull } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { QUOTE_STATUSES } from '../domain/rfq-machine.ts';
import type { QuoteRow } from '../store.ts';
import {
  amount,
  count,
  currency,
  ITEM_ID,
  id,
  LINES_MAX,
  lineNo,
  quantity,
  RFQ_EXAMPLE,
  SUPPLIER,
  SUPPLIERS_MAX,
  supplier,
} from './rfqs.ts';

export const quoteStatus = StringEnum(QUOTE_STATUSES, {
  title: 'SupplierQuoteStatus',
  description: 'Where the quote stands',
});
export const leadTime = Nullable(count('Days from the order to the delivery; null: not stated'));
export const Quote = Type.Object(
  {
    quote_id: id('Id of the quote, `quo_…`'),
    rfq_id: id('The request that it answers'),
    ...{ supplier, status: quoteStatus, currency },
    valid_until: Instant({ description: 'Until when it can be awarded' }),
    lines: Type.Array(
      Type.Object(
        {
          line_no: lineNo,
          supplier_item_id: id('The item that the supplier offers'),
          supplier_sku: Type.String({ description: 'The supplier’s name of it' }),
          pack_size: count('Units of a pack', 1),
          minimum_quantity: count('The fewest units', 1),
          maximum_quantity: Nullable(count('The most units; null: no limit', 1)),
          price_breaks: Type.Array(
            Type.Object(
              {
                min_quantity: count('From so many units on', 1),
                pack_price_minor: amount('Price of each pack, tax included'),
              },
              { title: 'QuotedPriceBreak', description: 'The price of a pack from a quantity on.' },
            ),
            { description: 'The break of the whole quantity holds for each of its packs' },
          ),
          lead_time_days: leadTime,
        },
        { title: 'SupplierQuoteLine', description: 'What the supplier offers for a line.' },
      ),
      { description: 'The lines that the supplier can deliver' },
    ),
    freight_minor: Nullable(amount('Freight of the order; null: not stated, which is not zero')),
    free_freight_from_minor: Nullable(amount('Goods from which freight is free; null: never')),
    note: Nullable(Type.String({ description: 'What the supplier says' })),
    received_at: Instant({ description: 'When the service received it' }),
    version: count('Counts the changes of its status, from 1', 1),
  },
  { title: 'SupplierQuote', description: 'A quote of a supplier. Its terms never change.' },
);
type WireQuote = Static<typeof Quote>;
export const QUOTE_EXAMPLE: WireQuote = {
  ...{ quote_id: 'quo_01j0000000000000000000000', rfq_id: RFQ_EXAMPLE.rfq_id, supplier: SUPPLIER },
  ...{ status: 'open', currency: 'AUD', valid_until: '2026-07-31T14:00:00.000Z' },
  lines: [
    {
      ...{ line_no: 1, supplier_item_id: ITEM_ID, supplier_sku: 'BC-MUG-BLU' },
      ...{ pack_size: 12, minimum_quantity: 24, maximum_quantity: null, lead_time_days: 4 },
      price_breaks: [
        { min_quantity: 24, pack_price_minor: 5_940 },
        { min_quantity: 144, pack_price_minor: 5_520 },
      ],
    },
  ],
  ...{ freight_minor: 3_850, free_freight_from_minor: 90_000, note: null },
  ...{ received_at: '2026-07-02T01:00:00.000Z', version: 1 },
};

export const toWireQuote = ({ supplier_id, supplier_name: name, ...row }: QuoteRow): WireQuote => ({
  ...{ quote_id: row.quote_id, rfq_id: row.rfq_id, supplier: { supplier_id, name }, status: row.status },
  ...{ currency: row.currency, valid_until: row.valid_until, note: row.note },
  lines: row.lines.map((line) => ({ ...line, price_breaks: line.price_breaks.map((one) => ({ ...one })) })),
  freight_minor: jsonOrNull(row.freight_minor),
  free_freight_from_minor: jsonOrNull(row.free_freight_from_minor),
  ...{ received_at: row.created_at, version: row.version },
});

export const AwardInput = Type.Object(
  {
    lines: Type.Array(
      Type.Object(
        {
          line_no: lineNo,
          quote_id: id('An open quote of the request'),
          quantity: quantity('Units to order'),
        },
        { title: 'AwardLine', description: 'Units of a line that a supplier is to deliver.' },
      ),
      { minItems: 1, maxItems: LINES_MAX * SUPPLIERS_MAX, description: 'What to order from whom' },
    ),
  },
  { title: 'AwardInput', description: 'The quotes to accept.' },
);
export type AwardLine = Static<typeof AwardInput>['lines'][number];
export const AWARD_EXAMPLE: Static<typeof AwardInput> = {
  lines: [{ line_no: 1, quote_id: QUOTE_EXAMPLE.quote_id, quantity: 108 }],
};
