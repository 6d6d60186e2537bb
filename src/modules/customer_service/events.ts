import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import {
  CLAIM_EXAMPLE,
  CLOCKS_EXAMPLE,
  ENTRY_EXAMPLE,
  EVENT_EXAMPLE,
  TicketEvent,
  type WireTicketEvent,
} from './schemas.ts';

type Told = Pick<OutgoingEventDef, 'notification' | 'marketplace' | 'clears'>;
const event = (type: string, summary: string, example: Partial<WireTicketEvent>, told: Told = {}) =>
  defineEvent({
    type,
    summary,
    schema: TicketEvent,
    id: 'ticket_id',
    example: { ...EVENT_EXAMPLE, ...example },
    ...told,
  });
/**
 * What people call a ticket. Titles are stored, so they hold no subject that a buyer or the marketplace wrote: an
 * erasure does not change them.
 */
const ticket = '{kind} about {claim.type|topic}[, order {links.order_id}]';
/** A seller knows its own requests by their subjects. */
const ownTitle = (title: string) => ({ instead: { where: { kind: 'seller_request' }, title } });
const own = 'Your request “{subject}”';
const target = '{clock.metric} of the {clock.obligated}';

/** The marketplace gets the events of what the seller does; the rest it did itself. */
const bySeller = { 'entry.author': 'seller' } as const;
const toMarketplace: Told = { marketplace: bySeller };
/** A notification of what the seller is to act on. */
const asks = (severity: Severity, title: string, more = {}): Told => ({
  notification: { severity, title, ...more, where: { waiting_on: 'seller' } },
  marketplace: bySeller,
});
const SLA = ['ticket.sla_due', 'ticket.sla_breached'];
/** Texts of the side that owes the answer. */
const ANSWERS = [
  { kind: 'seller_request', 'entry.author': 'marketplace' },
  ...['marketplace_request', 'enquiry', 'claim'].map((kind) => ({ kind, ...bySeller })),
];

const theirs = { ...ENTRY_EXAMPLE, author: 'buyer' as const, member_id: null };
const asked = { ...CLAIM_EXAMPLE, entry: theirs, clock: null };
const decided = {
  ...asked,
  claim: CLAIM_EXAMPLE.claim && {
    ...CLAIM_EXAMPLE.claim,
    ...{ decision: 'granted' as const, granted_minor: 6_345, funded_by: 'seller' as const },
    decided_at: '2026-08-02T00:00:00.000Z',
  },
};
const clock = { clock: CLOCKS_EXAMPLE[0] ?? null, entry: null };

export const ticketEvents = {
  opened: event(
    'ticket.opened',
    'A ticket was opened',
    { ...CLAIM_EXAMPLE, entry: theirs },
    asks('warning', `New ${ticket}`),
  ),
  replied: event(
    'ticket.replied',
    'A text was added to a ticket',
    {},
    {
      ...asks('warning', `New answer: ${ticket}`, ownTitle(`${own} has a new answer`)),
      clears: { types: SLA, where: ANSWERS },
    },
  ),
  resolved: event(
    'ticket.resolved',
    'A ticket was resolved',
    { status: 'resolved' },
    { ...toMarketplace, clears: { types: SLA } },
  ),
  reopened: event('ticket.reopened', 'A resolved ticket was opened again', {}, toMarketplace),
  escalated: event('ticket.escalated', 'A ticket was escalated', {}, toMarketplace),
  closed: event('ticket.closed', 'A resolved ticket was closed', { status: 'closed', entry: null }),
  slaDue: event('ticket.sla_due', 'Five sixths of a target have passed', clock, {
    notification: {
      severity: 'warning',
      title: `Open ${ticket}: ${target} due {clock.due_at}`,
      ...ownTitle(`${own}: ${target} due {clock.due_at}`),
    },
  }),
  slaBreached: event('ticket.sla_breached', 'A deadline of a ticket has passed', clock, {
    notification: {
      severity: 'warning',
      critical: { 'clock.obligated': 'seller' },
      title: `Open ${ticket}: ${target} is overdue`,
      ...ownTitle(`${own}: ${target} is overdue`),
    },
  }),
  claimResponded: event('claim.responded', 'The seller has answered a claim', asked, {
    ...toMarketplace,
    clears: { types: SLA },
  }),
  claimAccepted: event('claim.accepted', 'The seller has accepted a claim', asked, {
    ...toMarketplace,
    clears: { types: SLA },
  }),
  claimAppealed: event('claim.appealed', 'The seller appeals a decision about a claim', asked, toMarketplace),
  claimDecided: event('claim.decided', 'The marketplace has decided about a claim', decided, {
    notification: {
      severity: 'critical',
      title:
        'The claim over {claim.amount_minor}[, order {links.order_id},] was {claim.decision}: {claim.granted_minor} to the buyer',
    },
    clears: { types: SLA },
  }),
};
export type TicketEventName = keyof typeof ticketEvents;
