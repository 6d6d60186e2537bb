/** Tickets, their entries and clocks as the API shows them. */
import Type, { type Static } from 'typebox';
import type { BusinessCalendar } from '../../kernel/australia/business-time.ts';
import { CLOCK_EXAMPLE, clockFields, showClock } from '../../kernel/australia/service-clock.ts';
import { Redacted } from '../../kernel/contact-data/redacted.ts';
import { described, Extended, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { type Action, ActionSchema, contactMarketplace, sellerCalls } from '../../kernel/waiting.ts';
import {
  ATTACHMENT_EXAMPLE,
  Attachment,
  attachmentToWire,
} from '../../platform/attachments/attachment-schema.ts';
import type { Attachment as AttachmentRow } from '../../platform/attachments/attachments.ts';
import { BUYER_EXAMPLE, Buyer } from '../../platform/buyers/buyers.ts';
import { TurnOutcome } from '../messages/index.ts';
import { METRICS, usedAt } from './domain/clocks.ts';
import { LINK_NAMES } from './domain/links.ts';
import {
  AUTHORS,
  CLAIM_DECISIONS,
  CLAIM_TYPES,
  RESOLUTIONS,
  SIDES,
  TICKET_KINDS,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_TOPICS,
  waitsFor,
} from './domain/ticket.ts';
import { ticketMachine } from './domain/ticket-machine.ts';
import type { ClockRow, EntryRow, TicketRow } from './store/tables.ts';

export const Kind = StringEnum(TICKET_KINDS, {
  title: 'TicketKind',
  description:
    '`seller_request`: of the seller to the marketplace. `marketplace_request`: of the marketplace to the seller. `enquiry`: of a buyer. `claim`: under buyer protection',
});
export const Topic = StringEnum(TICKET_TOPICS, { title: 'TicketTopic', description: 'What it is about' });
export const Priority = StringEnum(TICKET_PRIORITIES, {
  title: 'TicketPriority',
  description: 'The targets of the clocks follow it',
});
export const Status = StringEnum(TICKET_STATUSES, {
  title: 'TicketStatus',
  description: 'State of a ticket',
});
export const Resolution = StringEnum(RESOLUTIONS, { title: 'TicketResolution', description: 'How it ended' });
const Decision = StringEnum(CLAIM_DECISIONS, {
  title: 'ClaimDecision',
  description: 'Decision about a claim',
});
/** Who owes the next step, or pays. */
export const TicketSide = StringEnum(['marketplace', 'seller'], {
  title: 'TicketSide',
  description: 'Who owes the next step, or pays what the buyer is granted',
});
export const Metric = StringEnum(METRICS, { title: 'ClockMetric', description: 'What is owed' });

const LINKS: Readonly<Record<(typeof LINK_NAMES)[number], string>> = {
  order_id: 'An order',
  return_id: 'A return',
  refund_id: 'A refund',
  dispute_id: 'A dispute',
  shipment_id: 'A parcel',
  product_id: 'A product',
  thread_id: 'A thread of messages',
  settlement_id: 'A settlement',
  payout_id: 'A payout',
  invoice_id: 'An invoice',
  feed_run_id: 'A feed run',
  rating_id: 'A rating of the seller or of a product',
  request_id: 'The `X-Request-Id` of a call that went wrong; it is not looked up',
};
export const Links = Type.Object(
  Object.fromEntries(
    LINK_NAMES.map((name) => [
      name,
      Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: LINKS[name] })),
    ]),
  ),
  { title: 'TicketLinks', description: 'What a ticket is about: ids of objects of the seller.' },
);

const Claim = Type.Object(
  {
    type: StringEnum(CLAIM_TYPES, { description: 'What the buyer claims' }),
    amount_minor: Type.Integer({ description: 'What the buyer claims back, in minor units' }),
    currency: Type.String(),
    filed_at: Instant({ description: 'When the buyer made the claim' }),
    respond_by: Instant({ description: 'Answer by this time' }),
    default_outcome: described('What silence leads to', Decision),
    response: Nullable(
      Type.Object(
        {
          kind: StringEnum(['responded', 'accepted'], { description: 'What the seller answered' }),
          at: Instant({ description: 'When the seller answered' }),
          late: Type.Boolean({ description: 'Whether `respond_by` had passed' }),
          offer_minor: Nullable(Type.Integer({ description: 'What the seller offers, in minor units' })),
        },
        { description: 'The answer of the seller; null before' },
      ),
    ),
    decision: Nullable(Decision),
    granted_minor: Nullable(Type.Integer({ description: 'What the buyer gets, in minor units' })),
    funded_by: Nullable(TicketSide),
    decided_at: Nullable(Instant({ description: 'When the marketplace decided' })),
    appeal_by: Nullable(Instant({ description: 'An appeal is possible until then' })),
    appeal: Nullable(
      Type.Object(
        {
          at: Instant({ description: 'When the seller appealed' }),
          decision: Nullable(Decision),
          decided_at: Nullable(Instant({ description: 'When the appeal was decided' })),
        },
        { description: 'The appeal of the seller; null without one' },
      ),
    ),
  },
  {
    title: 'Claim',
    description:
      'A claim under buyer protection. It moves no money: refunds and adjustments come as for any order.',
  },
);

const ClockSchema = Type.Object(
  {
    metric: Metric,
    round: Type.Integer({
      description: 'Counted from 1; a message of the other side begins the next response',
    }),
    obligated: TicketSide,
    ...clockFields,
  },
  { title: 'SlaClock', description: 'A clock of a ticket. It counts business time only.' },
);

export const Entry = Type.Object(
  {
    entry_id: Type.String({ description: 'Id of the entry, `tcm_…`' }),
    author: StringEnum(AUTHORS, { title: 'TicketAuthor', description: 'Who wrote or did it' }),
    member_id: Nullable(Type.String({ description: 'The member who acted for the seller' })),
    move: Type.String({ description: 'What was done: an event of the state machine' }),
    text: Nullable(Type.String({ description: 'Plain text; null for a move without one, or once deleted' })),
    masked: Type.Array(Type.String(), { description: 'Kinds of contact data that were removed' }),
    redacted: Nullable(described('Null while the text is kept', Redacted)),
    attachments: Type.Array(Attachment, { description: 'Files of the text' }),
    recorded_at: Instant({ description: 'When the service recorded it; clocks follow this instant' }),
  },
  { title: 'TicketEntry', description: 'A text or a move of a ticket.' },
);

export const Ticket = Type.Object(
  {
    ticket_id: Type.String({ description: 'Id of the ticket, `tkt_…`' }),
    external_ticket_id: Nullable(Type.String({ description: 'What the marketplace calls it' })),
    kind: Kind,
    topic: Topic,
    subject: Type.String({ description: 'Subject in a few words' }),
    priority: Priority,
    status: Status,
    waiting_on: StringEnum([...SIDES, 'nobody'], { description: 'Who is to act' }),
    action: Nullable(ActionSchema),
    escalated_at: Nullable(Instant({ description: 'When it was escalated; once at most' })),
    buyer: Nullable(Buyer),
    links: Links,
    claim: Nullable(Claim),
    clocks: Type.Array(ClockSchema, { description: 'Who owes what by when' }),
    reply_count: Type.Integer({ description: 'Texts after the first one' }),
    opened_at: Instant({ description: 'When the service recorded it' }),
    resolved_at: Nullable(Instant({ description: 'When it was resolved' })),
    resolution: Nullable(Type.String({ description: 'How it ended' })),
    closes_at: Nullable(Instant({ description: 'Until then a resolved ticket can be reopened' })),
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Ticket', description: 'Something that needs a decision, with clocks for both sides.' },
);
export type WireTicket = Static<typeof Ticket>;

const Parcel = Type.Object({
  shipment_id: Type.String(),
  status: Type.String({ description: 'State of the parcel' }),
  carrier: Nullable(Type.String()),
  tracking_number: Nullable(Type.String()),
  label_bought_here: Type.Boolean({ description: 'Whether the label was bought from this service' }),
  dispatched_at: Nullable(Instant()),
  delivered_at: Nullable(Instant()),
  steps: Type.Array(
    Type.Object({
      status: Type.String({ description: 'State that the scan reports' }),
      at: Instant({ description: 'When the carrier scanned the parcel' }),
    }),
    { description: 'Scans by the carrier' },
  ),
});
export const Facts = Type.Object(
  {
    dispatch_by: Nullable(Instant({ description: 'The dispatch deadline of the order' })),
    delivered_at: Nullable(Instant()),
    shipments: Type.Array(Parcel, { description: 'Parcels of the order' }),
    refunds: Type.Array(
      Type.Object({
        refund_id: Type.String(),
        status: Type.String({ description: 'State of the refund' }),
        amount_minor: Type.Integer({ description: 'Amount of the refund in minor units' }),
        created_at: Instant(),
      }),
      { description: 'Refunds of the order' },
    ),
    returns: Type.Array(
      Type.Object({
        return_id: Type.String(),
        status: Type.String({ description: 'State of the return' }),
        requested_at: Instant(),
      }),
      { description: 'Returns of the order' },
    ),
    response_turns: Type.Array(
      Type.Object({
        thread_id: Type.String(),
        opened_at: Instant({ description: 'When the message was recorded that the seller must answer' }),
        respond_by: Instant({ description: 'The deadline of the answer' }),
        ended_at: Nullable(Instant({ description: 'When it was answered or ended; null: it is open' })),
        outcome: TurnOutcome,
      }),
      { description: 'Obligations to answer the buyer in the threads about the order' },
    ),
  },
  { title: 'ClaimFacts', description: 'Facts of the order of a claim, read when the claim is shown.' },
);

/** The actions of the seller on a ticket. */
const ACTIONS = ticketMachine.rows
  .filter(({ by, from }) => by === 'seller' && from.length > 0)
  .map(({ event }) => event);
export const TicketView = Extended(
  Ticket,
  {
    facts: Nullable(Facts),
    allowed_actions: Type.Array(
      StringEnum(ACTIONS, { title: 'TicketAction', description: 'An action of the seller' }),
      {
        description: 'What the seller can do now',
      },
    ),
  },
  { title: 'TicketView', description: 'A ticket with what the seller can do now.' },
);

/** The object of events: the ticket, with the entry or the clock that the event is about. */
export const TicketEvent = Extended(
  Ticket,
  { entry: Nullable(Entry), clock: Nullable(ClockSchema) },
  { title: 'TicketEvent', description: 'A ticket, with the entry or the clock that the event is about.' },
);
export type WireTicketEvent = Static<typeof TicketEvent>;

const iso = '2026-07-01T01:00:00.000Z';
export const CLOCKS_EXAMPLE = [
  { metric: 'response' as const, round: 1, obligated: 'marketplace' as const, ...CLOCK_EXAMPLE },
];
export const ENTRY_EXAMPLE: Static<typeof Entry> = {
  entry_id: 'tcm_01j0000000000000000000000',
  author: 'seller',
  member_id: 'mbr_01j0000000000000000000000',
  move: 'open',
  text: 'The settlement of June lacks order 1002.',
  masked: [],
  redacted: null,
  attachments: [ATTACHMENT_EXAMPLE],
  recorded_at: iso,
};
export const TICKET_EXAMPLE: WireTicket = {
  ticket_id: 'tkt_01j0000000000000000000000',
  external_ticket_id: null,
  kind: 'seller_request',
  topic: 'settlement',
  subject: 'An order is missing',
  priority: 'normal',
  status: 'pending_marketplace',
  waiting_on: 'marketplace',
  action: contactMarketplace('The marketplace is to answer.').action,
  escalated_at: null,
  buyer: null,
  links: { order_id: 'ord_1002' },
  claim: null,
  clocks: CLOCKS_EXAMPLE,
  reply_count: 0,
  ...{ opened_at: iso, resolved_at: null, resolution: null, closes_at: null },
  ...{ version: 1, created_at: iso, updated_at: iso },
};
export const CLAIM_EXAMPLE: WireTicket = {
  ...TICKET_EXAMPLE,
  kind: 'claim',
  topic: 'claim',
  subject: 'Parcel has not arrived',
  status: 'pending_seller',
  waiting_on: 'seller',
  action: sellerCalls(
    '/api/v1/customer_service/tickets/tkt_01j0000000000000000000000/claim/respond',
    'Answer the claim.',
  ).action,
  buyer: BUYER_EXAMPLE,
  claim: {
    ...{ type: 'not_received', amount_minor: 6_345, currency: 'AUD', filed_at: iso },
    ...{ respond_by: '2026-07-06T01:00:00.000Z', default_outcome: 'granted', response: null },
    ...{ decision: null, granted_minor: null, funded_by: null, decided_at: null },
    ...{ appeal_by: null, appeal: null },
  },
};
export const VIEW_EXAMPLE: Static<typeof TicketView> = {
  ...TICKET_EXAMPLE,
  facts: null,
  allowed_actions: ['reply', 'resolve'],
};
export const EVENT_EXAMPLE: WireTicketEvent = { ...TICKET_EXAMPLE, entry: ENTRY_EXAMPLE, clock: null };

const MINUTE_MS = 60_000;

export function clockToWire(
  row: ClockRow,
  calendar: BusinessCalendar,
  now: number,
): Static<typeof ClockSchema> {
  const { metric, round, obligated, policy_version, due_at, outcome } = row;
  const minutes = (ms: number): number => Math.floor(ms / MINUTE_MS);
  const shown = {
    ...{ due_at, status: outcome, policy_version, target_minutes: minutes(row.target_ms) },
    used_minutes: minutes(usedAt(row, calendar, now)),
  };
  return { metric, round, obligated, ...showClock(shown, calendar) };
}

/** What is to be done next; null once the ticket is resolved. */
function actionOf({ ticket_id, status, claim }: TicketRow): Action | null {
  const side = waitsFor(status);
  if (side === undefined) return null;
  if (side !== 'seller') return contactMarketplace(`The ${side} is to answer.`).action;
  const asks = claim !== null && claim.response === null;
  const path = `/api/v1/customer_service/tickets/${ticket_id}/${asks ? 'claim/respond' : 'replies'}`;
  return sellerCalls(path, asks ? 'Answer the claim.' : 'Answer in the ticket.').action;
}

/** What a ticket shows beside its row. */
export interface Shown {
  readonly clocks: readonly ClockRow[];
  /** The hours of each policy version. */
  readonly calendars: ReadonlyMap<string, BusinessCalendar>;
  readonly buyer: Buyer | null;
  readonly now: number;
}

export function ticketToWire(row: TicketRow, { clocks, calendars, buyer, now }: Shown): WireTicket {
  const { buyer_id: _, file_count: __, state_at: ___, ...shown } = row;
  return {
    ...shown,
    waiting_on: waitsFor(row.status) ?? 'nobody',
    action: actionOf(row),
    buyer,
    clocks: clocks.flatMap((clock) => {
      const calendar = calendars.get(clock.policy_version);
      return calendar === undefined ? [] : [clockToWire(clock, calendar, now)];
    }),
  };
}

export function entryToWire(row: EntryRow, files: ReadonlyMap<string, AttachmentRow>): Static<typeof Entry> {
  const { entry_id, author, member_id, move, text, masked, redacted, recorded_at } = row;
  return {
    ...{ entry_id, author, member_id, move, text, masked: [...masked] },
    redacted: redacted as Static<typeof Entry>['redacted'],
    attachments: row.attachment_ids.flatMap((id) => {
      const file = files.get(id);
      return file === undefined ? [] : [attachmentToWire(file)];
    }),
    recorded_at,
  };
}
