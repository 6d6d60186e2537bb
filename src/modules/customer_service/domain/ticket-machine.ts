/** The states of a ticket. Source: docs/design/customer-service.md#states. */
import { defineMachine, move } from '../../../kernel/machine.ts';
import { TICKET_STATUSES } from './ticket.ts';

const PENDING = ['pending_seller', 'pending_marketplace', 'pending_buyer'] as const;
const LATE = 'once; one of a time before the resolution also later';
const WINDOW = 'within close_after_days of the policy';

export const ticketMachine = defineMachine({
  name: 'ticket',
  title: 'Ticket',
  states: TICKET_STATUSES,
  rows: [
    move('open', [], 'pending_marketplace', 'seller', {
      guard: 'at most 100 unresolved requests',
      emits: ['ticket.opened'],
    }),
    move('open_by_marketplace', [], 'pending_seller', 'marketplace', { emits: ['ticket.opened'] }),
    move('reply', PENDING, ['pending_marketplace', 'pending_buyer'], 'seller', { emits: ['ticket.replied'] }),
    move('reply_by_other', [...PENDING, 'resolved', 'closed'], TICKET_STATUSES, 'marketplace', {
      guard: `also of a buyer; one that is newer than the resolution reopens the ticket, ${WINDOW}`,
      emits: ['ticket.replied', 'ticket.reopened'],
    }),
    move('resolve', PENDING, 'resolved', 'seller', {
      guard: 'its own request, or an enquiry',
      emits: ['ticket.resolved'],
    }),
    move('resolve_by_marketplace', PENDING, 'resolved', 'marketplace', { emits: ['ticket.resolved'] }),
    move('reopen', 'resolved', PENDING, 'seller', {
      guard: `no claim; ${WINDOW}`,
      emits: ['ticket.reopened'],
    }),
    move('reopen_by_marketplace', 'resolved', 'pending_seller', 'marketplace', {
      guard: WINDOW,
      emits: ['ticket.reopened'],
    }),
    move('close', 'resolved', 'closed', 'timer', { guard: 'at closes_at', emits: ['ticket.closed'] }),
    move('escalate', 'pending_marketplace', 'pending_marketplace', 'seller', {
      guard: 'a clock of the marketplace is breached; once',
      emits: ['ticket.escalated'],
    }),
    move('escalate_by_marketplace', PENDING, PENDING, 'marketplace', {
      guard: LATE,
      emits: ['ticket.escalated'],
    }),
    move('claim_respond', PENDING, 'pending_marketplace', 'seller', {
      guard: 'undecided',
      emits: ['claim.responded'],
    }),
    move('claim_accept', PENDING, 'pending_marketplace', 'seller', {
      guard: 'undecided',
      emits: ['claim.accepted'],
    }),
    move('claim_decide', PENDING, 'resolved', 'marketplace', {
      guard: 'undecided, or an appeal is open',
      emits: ['claim.decided'],
    }),
    move('claim_appeal', 'resolved', 'pending_marketplace', 'seller', {
      guard: 'granted or partly granted, once, before appeal_by',
      emits: ['claim.appealed'],
    }),
  ],
});
export type TicketMove = (typeof ticketMachine)['rows'][number]['event'];
