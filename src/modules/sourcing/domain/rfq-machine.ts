/** The states of requests for quotation and of quotes. Source: docs/design/sourcing.md#states. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const RFQ_STATUSES = ['draft', 'open', 'answered', 'expired', 'withdrawn', 'awarded'] as const;
export type RfqStatus = (typeof RFQ_STATUSES)[number];
export const QUOTE_STATUSES = ['open', 'accepted', 'declined', 'expired', 'withdrawn'] as const;
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** The states in which quotes decide the state. */
const ASKED = ['open', 'answered', 'expired'] as const;
const ENDED = ['rfq.answered', 'rfq.expired'] as const;
const BY_QUOTES = 'the quotes so far decide the state';

export const rfqMachine = defineMachine({
  name: 'rfq',
  title: 'Request for quotation',
  states: RFQ_STATUSES,
  rows: [
    move('create', [], 'draft', 'seller'),
    move('change', 'draft', 'draft', 'seller'),
    move('open', 'draft', 'open', 'seller', {
      guard:
        'each supplier is active and sells in the seller’s currency; at most 50 are open; one event for each supplier',
      emits: ['rfq.opened'],
    }),
    move('quote', ASKED, ASKED, 'marketplace', {
      guard: `before reply_by; ${BY_QUOTES}`,
      emits: ['quote.received', ...ENDED],
    }),
    move('quote_withdrawn', ASKED, ASKED, 'marketplace', {
      guard: BY_QUOTES,
      emits: ['quote.withdrawn', ...ENDED],
    }),
    move('end', 'open', ['answered', 'expired'], 'timer', {
      guard: 'reply_by, or earlier when every supplier has quoted or declined; expired without a quote',
      emits: ENDED,
    }),
    move('withdraw', ['open', 'answered'], 'withdrawn', 'seller', { emits: ['rfq.withdrawn'] }),
    move('award', ['open', 'answered'], 'awarded', 'seller', { emits: ['rfq.awarded', 'quote.declined'] }),
  ],
});

export const quoteMachine = defineMachine({
  name: 'quote',
  title: 'Quote of a supplier',
  states: QUOTE_STATUSES,
  rows: [
    move('receive', [], 'open', 'marketplace', { emits: ['quote.received'] }),
    move('withdraw', ['open', 'expired'], 'withdrawn', 'marketplace', {
      guard: 'by the supplier, or by its newer quote',
      emits: ['quote.withdrawn'],
    }),
    move('expire', 'open', 'expired', 'timer', { guard: 'valid_until' }),
    move('accept', 'open', 'accepted', 'seller', { guard: 'awarded' }),
    move('decline', 'open', 'declined', 'seller', {
      guard: 'others were awarded',
      emits: ['quote.declined'],
    }),
  ],
});
