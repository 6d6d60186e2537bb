import { defineEvent } from '../../kernel/events.ts';
import { QUOTE_EXAMPLE, Quote } from './schemas/quotes.ts';
import { RFQ_EXAMPLE, Rfq, SUPPLIER_REQUEST_EXAMPLE, SupplierRequest } from './schemas/rfqs.ts';

/** What one supplier may see. The marketplace passes it on to that supplier. */
const toSupplier = {
  schema: SupplierRequest,
  id: 'rfq_id',
  example: SUPPLIER_REQUEST_EXAMPLE,
  marketplace: true,
} as const;
const ofRfq = { schema: Rfq, id: 'rfq_id', example: RFQ_EXAMPLE } as const;
const ofQuote = { schema: Quote, id: 'quote_id', example: QUOTE_EXAMPLE } as const;

export const sourcingEvents = {
  opened: defineEvent({
    ...toSupplier,
    type: 'rfq.opened',
    summary: 'A supplier is asked for a quote; there is one event for each supplier',
  }),
  withdrawn: defineEvent({
    ...toSupplier,
    type: 'rfq.withdrawn',
    summary: 'The seller has withdrawn a request for quotation; there is one event for each supplier',
  }),
  answered: defineEvent({
    ...ofRfq,
    type: 'rfq.answered',
    summary: 'A request has quotes and takes no more: all suppliers have answered, or the time is over',
    notification: { severity: 'info', title: 'The request “{title}” has {quotes quote}' },
  }),
  expired: defineEvent({ ...ofRfq, type: 'rfq.expired', summary: 'A request has ended without a quote' }),
  awarded: defineEvent({
    ...ofRfq,
    type: 'rfq.awarded',
    summary: 'The seller has awarded a request; its purchase orders are drafts',
  }),
};

export const quoteEvents = {
  received: defineEvent({
    ...ofQuote,
    type: 'quote.received',
    summary: 'A supplier has quoted',
    notification: { severity: 'info', title: '{supplier.name} has sent a quote' },
  }),
  withdrawn: defineEvent({
    ...ofQuote,
    type: 'quote.withdrawn',
    example: { ...QUOTE_EXAMPLE, status: 'withdrawn', version: 2 },
    summary: 'A supplier has withdrawn a quote, or has sent a newer one',
  }),
  declined: defineEvent({
    ...ofQuote,
    type: 'quote.declined',
    example: { ...QUOTE_EXAMPLE, status: 'declined', version: 2 },
    summary: 'The seller has awarded the request to others',
    marketplace: true,
  }),
};
