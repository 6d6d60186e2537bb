/** The states of requests for quotation and of quotes. Source: docs/design/sourcing.md#states. */
import { type Cause, defineMachine, type Transition } from '../../../kernel/machine.ts';

export const RFQ_STATUSES = ['draft', 'open', 'answered', 'expired', 'withdrawn', 'awarded'] as const;
export type RfqStatus = (typeof RFQ_STATUSES)[number];
export const QUOTE_STATUSES = ['open', 'accepted', 'declined', 'expired', 'withdrawn'] as const;
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

const row = <const E extends string, const S extends string>(
  event: E,
  from: readonly S[],
  to: readonly S[],
  by: Cause,
  emits: readonly string[],
  guard: string | null = null,
): Transition<E, S> => ({ event, from, to, by, guard, emits });

/** The states in which quotes decide the state. */
const ASKED = ['open', 'answered', 'expired'] as const;
const ENDED = ['rfq.answered', 'rfq.expired'] as const;
const BY_QUOTES = 'the quotes so far decide the state';

export const rfqMachine = defineMachine({
  name: 'rfq',
  title: 'Request for quotation',
  states: RFQ_STATUSES,
  rows: [
    row('create', [], ['draft'], 'seller', []),
    row('change', ['draft'], ['draft'], 'seller', []),
    row(
      'open',
      ['draft'],
      ['open'],
      'seller',
      ['rfq.opened'],
      'each supplier is active and sells in the seller’s currency; at most 50 are open; one event for each supplier',
    ),
    row('quote', ASKED, ASKED, 'marketplace', ['quote.received', ...ENDED], `before reply_by; ${BY_QUOTES}`),
    row('quote_withdrawn', ASKED, ASKED, 'marketplace', ['quote.withdrawn', ...ENDED], BY_QUOTES),
    row(
      'end',
      ['open'],
      ['answered', 'expired'],
      'timer',
      ENDED,
      'reply_by, or earlier when every supplier has quoted or declined; expired without a quote',
    ),
    row('withdraw', ['open', 'answered'], ['withdrawn'], 'seller', ['rfq.withdrawn']),
    row('award', ['open', 'answered'], ['awarded'], 'seller', ['rfq.awarded', 'quote.declined']),
  ],
});

export const quoteMachine = defineMachine({
  name: 'quote',
  title: 'Quote of a supplier',
  states: QUOTE_STATUSES,
  rows: [
    row('receive', [], ['open'], 'marketplace', ['quote.received']),
    row(
      'withdraw',
      ['open', 'expired'],
      ['withdrawn'],
      'marketplace',
      ['quote.withdrawn'],
      'by the supplier, or by its newer quote',
    ),
    row('expire', ['open'], ['expired'], 'timer', [], 'valid_until'),
    row('accept', ['open'], ['accepted'], 'seller', [], 'awarded'),
    row('decline', ['open'], ['declined'], 'seller', ['quote.declined'], 'others were awarded'),
  ],
});
