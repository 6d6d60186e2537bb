/** The states of a ticket. Source: docs/design/customer-service.md#states. */
import { type Cause, defineMachine } from '../../../kernel/machine.ts';
import { TICKET_STATUSES } from './ticket.ts';

const PENDING = ['pending_seller', 'pending_marketplace', 'pending_buyer'] as const;
const LATE = 'once; one of a time before the resolution also later';
const WINDOW = 'within close_after_days of the policy';

const row = <const Event extends string>(
  event: Event,
  from: readonly (typeof TICKET_STATUSES)[number][],
  to: readonly (typeof TICKET_STATUSES)[number][],
  by: Cause,
  emits: readonly string[],
  guard: string | null = null,
) => ({ event, from, to, by, guard, emits });

export const ticketMachine = defineMachine({
  name: 'ticket',
  title: 'Ticket',
  states: TICKET_STATUSES,
  rows: [
    row('open', [], ['pending_marketplace'], 'seller', ['ticket.opened'], 'at most 100 unresolved requests'),
    row('open_by_marketplace', [], ['pending_seller'], 'marketplace', ['ticket.opened']),
    row('reply', PENDING, ['pending_marketplace', 'pending_buyer'], 'seller', ['ticket.replied']),
    row(
      'reply_by_other',
      [...PENDING, 'resolved', 'closed'],
      TICKET_STATUSES,
      'marketplace',
      ['ticket.replied', 'ticket.reopened'],
      `also of a buyer; one that is newer than the resolution reopens the ticket, ${WINDOW}`,
    ),
    row('resolve', PENDING, ['resolved'], 'seller', ['ticket.resolved'], 'its own request, or an enquiry'),
    row('resolve_by_marketplace', PENDING, ['resolved'], 'marketplace', ['ticket.resolved']),
    row('reopen', ['resolved'], PENDING, 'seller', ['ticket.reopened'], `no claim; ${WINDOW}`),
    row(
      'reopen_by_marketplace',
      ['resolved'],
      ['pending_seller'],
      'marketplace',
      ['ticket.reopened'],
      WINDOW,
    ),
    row('close', ['resolved'], ['closed'], 'timer', ['ticket.closed'], 'at closes_at'),
    row(
      'escalate',
      ['pending_marketplace'],
      ['pending_marketplace'],
      'seller',
      ['ticket.escalated'],
      'a clock of the marketplace is breached; once',
    ),
    row('escalate_by_marketplace', PENDING, PENDING, 'marketplace', ['ticket.escalated'], LATE),
    row('claim_respond', PENDING, ['pending_marketplace'], 'seller', ['claim.responded'], 'undecided'),
    row('claim_accept', PENDING, ['pending_marketplace'], 'seller', ['claim.accepted'], 'undecided'),
    row(
      'claim_decide',
      PENDING,
      ['resolved'],
      'marketplace',
      ['claim.decided'],
      'undecided, or an appeal is open',
    ),
    row(
      'claim_appeal',
      ['resolved'],
      ['pending_marketplace'],
      'seller',
      ['claim.appealed'],
      'granted or partly granted, once, before appeal_by',
    ),
  ],
});
export type TicketMove = (typeof ticketMachine)['rows'][number]['event'];
