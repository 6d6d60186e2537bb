/** What the marketplace says about tickets: it opens them, answers, and decides. */
import Type, { type Static } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { isErasedOpenOrder, lockRef, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { sellerExists } from '../../../platform/db/read-standing.ts';
import { type Held, holdTicket, type NewTicket, openTicket, writeMove } from '../actions/change-ticket.ts';
import { setPriority, sydneyDayAfter } from '../actions/seller-moves.ts';
import { maskAll, NO_TEXT, stored } from '../actions/store-text.ts';
import { LINK_NAMES, type LinkName } from '../domain/links.ts';
import {
  CLAIM_DECISIONS,
  CLAIM_TYPES,
  type Claim,
  isUndecided,
  pendingOf,
  RESOLUTIONS,
  SIDES,
  TICKET_PRIORITIES,
  TICKET_TOPICS,
  waitsFor,
} from '../domain/ticket.ts';
import { type TicketMove, ticketMachine } from '../domain/ticket-machine.ts';
import { findOrder, hasLinked } from '../store/links.ts';
import { findEntry, findTicket, lockName, type TicketRow } from '../store/tables.ts';

const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };
const FILES_MAX = 50;
const DAY_MS = 86_400_000;
/** A deadline that is further away would make the search for its business time long. */
const RESPOND_DAYS_MAX = 400;
const Name = Type.String({ minLength: 1, maxLength: 200 });
const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(Nullable(schema));
const LongText = Type.String({ maxLength: 100_000 });
const Files = Type.Optional(Type.Array(Name, { maxItems: FILES_MAX }));
const Amount = Type.Integer({ minimum: 0, maximum: 999_999_999_999 });
const iso = (at: string): string => new Date(at).toISOString();

async function actingFor(intake: IntakeCtx, { seller_id }: { seller_id: string | null }): Promise<Acting> {
  if (seller_id === null || !(await sellerExists(intake.db, seller_id)))
    throw new IntakeRejection('seller_not_found', 'sellerid must name the seller of the ticket.');
  return intake.acting(seller_id);
}

const ClaimData = Type.Object({
  type: StringEnum(CLAIM_TYPES),
  amount_minor: Amount,
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  filed_at: Instant(),
  default_outcome: Type.Optional(StringEnum(CLAIM_DECISIONS)),
});

const Opened = Type.Object({
  kind: Type.Optional(StringEnum(['marketplace_request', 'enquiry', 'claim'])),
  topic: Type.Optional(StringEnum(TICKET_TOPICS)),
  priority: Type.Optional(StringEnum(TICKET_PRIORITIES)),
  subject: optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  text: LongText,
  order_id: optional(Name),
  customer_ref: optional(Name),
  respond_by: optional(Instant()),
  links: Type.Optional(Type.Object(Object.fromEntries(LINK_NAMES.map((name) => [name, optional(Name)])))),
  attachments: Files,
  claim: optional(ClaimData),
});
type OpenedData = Static<typeof Opened>;

/** The order, whose buyer is not erased until the transaction ends. */
async function holdOrder(ctx: Acting, id: string) {
  const order = await findOrder(ctx, id);
  if (order === undefined || order.customer_ref === null) return order;
  await lockRef(ctx, order.customer_ref, 'shared');
  return findOrder(ctx, id);
}

/** The objects that the event names. @throws IntakeRejection `…_not_found` */
async function linksOf(ctx: Acting, { order_id, links = {} }: OpenedData) {
  const given = { ...links, ...(order_id != null && { order_id }) } as Record<
    string,
    string | null | undefined
  >;
  const order = given['order_id'] == null ? undefined : await holdOrder(ctx, given['order_id']);
  if (given['order_id'] != null && order === undefined)
    throw new IntakeRejection('order_not_found', `The seller has no order ${given['order_id']}.`);
  const found: Partial<Record<LinkName, string>> = {};
  for (const name of LINK_NAMES) {
    const id = name === 'order_id' ? order?.order_id : given[name];
    if (id == null) continue;
    if (!(await hasLinked(ctx, name, id)))
      throw new IntakeRejection(`${name.replace(/_id$/, '')}_not_found`, `The seller has no ${name} ${id}.`);
    found[name] = id;
  }
  return { order, links: found };
}

const UNDECIDED = {
  ...{ response: null, decision: null, granted_minor: null, funded_by: null, decided_at: null },
  ...{ appeal_by: null, appeal: null },
} as const;

function claimOf({ kind, claim }: OpenedData): NewTicket['claim'] {
  if ((kind === 'claim') !== (claim != null))
    throw new IntakeRejection('data_invalid', 'data/claim belongs to the kind claim, and only to it');
  if (claim == null) return null;
  requireCurrency('data/claim/currency', claim.currency);
  const { default_outcome = 'granted', filed_at } = claim;
  return { ...claim, default_outcome, filed_at: iso(filed_at), ...UNDECIDED };
}

async function applyOpened(intake: IntakeCtx, event: MarketplaceEvent<OpenedData>): Promise<IntakeOutcome> {
  const ctx = await actingFor(intake, event);
  const { subject: external_ticket_id, data, time } = event;
  if (external_ticket_id === null)
    throw new IntakeRejection('data_invalid', 'subject must be the id of the ticket');
  await lockName(ctx, external_ticket_id);
  const { order, links } = await linksOf(ctx, data);
  if (data.respond_by != null && Date.parse(data.respond_by) > ctx.now() + RESPOND_DAYS_MAX * DAY_MS)
    throw new IntakeRejection('data_invalid', `data/respond_by is more than ${RESPOND_DAYS_MAX} days away.`);
  const kind = data.kind ?? (order === undefined ? 'marketplace_request' : 'enquiry');
  const claim = claimOf({ ...data, kind });
  const [{ text, masked } = NO_TEXT, title = NO_TEXT] = await maskAll(
    ...([ctx, links, data.text, data.subject ?? ''] as const),
  );
  const digest = contentDigest({ ...data, text, subject: title.text, kind });
  const name = `opened:${external_ticket_id}`;
  const known = await findTicket(ctx, external_ticket_id);
  if (known !== undefined) {
    const first = await findEntry(ctx, name);
    wasAdded({ digest: first?.content_digest ?? null }, digest, `ticket ${external_ticket_id}`);
    return APPLIED;
  }
  const buyer = await resolveBuyer(ctx, { customer_ref: data.customer_ref }, time);
  // Without a name of its own, the buyer is the one of the order.
  const ofOrder = kind === 'marketplace_request' || data.customer_ref != null ? undefined : order;
  const erased = buyer.erased || (await isErased(ctx, ofOrder));
  const buyer_id = buyer.buyer_id ?? ofOrder?.buyer_id ?? null;
  const said = { ...data, text, masked, external_entry_id: name, digest, erased };
  const written = await stored(ctx, said);
  const topic = data.topic ?? (kind === 'claim' ? 'claim' : 'other');
  const titled = erased ? '' : title.text;
  await openTicket(
    ctx,
    {
      ...{ ticket_id: ctx.ids.next('tkt_'), external_ticket_id, kind, topic, links, claim, buyer_id },
      ...{ subject: [...titled].slice(0, 200).join('') || topic, priority: data.priority ?? 'normal' },
      ...{ status: 'pending_seller', state_at: iso(time), priority_at: iso(time) },
      erased_at: erased ? ctx.at() : null,
      respondBy: data.respond_by ?? undefined,
    },
    {
      name: 'open_by_marketplace',
      author: kind === 'marketplace_request' ? 'marketplace' : 'buyer',
      written,
    },
  );
  return APPLIED;
}

type Order = NonNullable<Awaited<ReturnType<typeof findOrder>>>;

/** Whether the buyer of an order was erased. */
const isErased = async (ctx: Acting, order: Order | undefined): Promise<boolean> =>
  order !== undefined && (order.erased_at !== null || (await isErasedOpenOrder(ctx, order.order_id)));

/** The ticket of an event. @throws IntakeRejection `ticket_not_found` */
async function requireHeld(ctx: Acting, subject: string | null): Promise<Held> {
  const held = subject === null ? undefined : await holdTicket(ctx, subject);
  if (held === undefined)
    throw new IntakeRejection('ticket_not_found', `The seller has no ticket ${subject}.`);
  return held;
}

/** Whether a newer event of the marketplace has set the state of the ticket. */
const isOlder = ({ state_at }: TicketRow, time: string): boolean =>
  state_at !== null && Date.parse(time) < Date.parse(state_at);

const Replied = Type.Object({
  reply_id: Name,
  author: StringEnum(['marketplace', 'buyer']),
  text: LongText,
  attachments: Files,
  waiting_on: Type.Optional(StringEnum(SIDES)),
});

async function applyReplied(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Replied>>,
): Promise<IntakeOutcome> {
  const ctx = await actingFor(intake, event);
  const { data, time } = event;
  const { author, waiting_on = 'seller' } = data;
  await lockName(ctx, data.reply_id);
  const held = await requireHeld(ctx, event.subject);
  const { row } = held;
  const [{ text, masked } = NO_TEXT] = await maskAll(ctx, row.links, data.text);
  const digest = contentDigest({ ...data, text, ticket_id: row.ticket_id });
  const known = await findEntry(ctx, data.reply_id);
  if (known !== undefined && wasAdded({ digest: known.content_digest }, digest, `reply ${data.reply_id}`))
    return APPLIED;
  const erased = await isOfErased(ctx, row, author, time);
  const said = { ...data, text, masked, external_entry_id: data.reply_id, digest, erased };
  const written = await stored(ctx, said);
  // An older text is added, and changes no state.
  if (isOlder(row, time)) {
    await writeMove(ctx, held, {
      name: 'reply_by_other',
      author,
      status: row.status,
      written,
      events: ['replied'],
    });
    return APPLIED;
  }
  const reopens = waitsFor(row.status) === undefined;
  if (row.status === 'closed' || (reopens && row.kind === 'claim'))
    throw new IntakeRejection('invalid_transition', `The ticket is ${row.status}.`);
  await writeMove(ctx, held, {
    ...{ name: 'reply_by_other', author, status: pendingOf(waiting_on), written },
    change: { state_at: iso(time) },
    events: reopens ? ['reopened', 'replied'] : ['replied'],
  });
  return APPLIED;
}

/** Whether a text is of a time before the buyer of the ticket, or of its order, was erased. */
async function isOfErased(ctx: Acting, row: TicketRow, author: string, time: string): Promise<boolean> {
  if (row.erased_at !== null) return Date.parse(time) <= Date.parse(row.erased_at);
  const { order_id } = row.links;
  if (row.buyer_id !== null || author !== 'buyer' || order_id === undefined) return false;
  return isErased(ctx, await findOrder(ctx, order_id));
}

const Updated = Type.Object({
  external_ticket_id: optional(Name),
  status: Type.Optional(StringEnum(['resolved', 'reopened'])),
  resolution: Type.Optional(StringEnum(RESOLUTIONS)),
  priority: Type.Optional(StringEnum(TICKET_PRIORITIES)),
  escalated: Type.Optional(Type.Boolean()),
  claim: Type.Optional(
    Type.Object({
      decision: StringEnum(CLAIM_DECISIONS),
      granted_minor: optional(Amount),
      funded_by: optional(StringEnum(['seller', 'marketplace'])),
      decided_at: Type.Optional(Instant()),
    }),
  ),
});
type UpdatedData = Static<typeof Updated>;

function requireState({ row }: Held, move: TicketMove): void {
  if (!ticketMachine.allows(move, row.status))
    throw new IntakeRejection('invalid_transition', `The ticket is ${row.status}.`);
}

/** The claim after a decision of the marketplace: the first one, or that of an appeal. */
function decided(claim: Claim, given: NonNullable<UpdatedData['claim']>, held: Held, now: number): Claim {
  const { decision, granted_minor = null, funded_by = null } = given;
  const decided_at = iso(given.decided_at ?? new Date(now).toISOString());
  const money = { granted_minor, funded_by };
  if (claim.appeal !== null) return { ...claim, ...money, appeal: { ...claim.appeal, decision, decided_at } };
  const last = dayOf(sydneyDayAfter(now, held.policy.tickets.appeal_days));
  const appeal_by = new Date(last.next - 1).toISOString();
  return { ...claim, ...money, decision, decided_at, appeal_by };
}

async function decide(
  ctx: Acting,
  held: Held,
  given: NonNullable<UpdatedData['claim']>,
  time: string,
): Promise<Held> {
  const { claim } = held.row;
  if (claim === null) throw new IntakeRejection('data_invalid', 'data/claim: the ticket is no claim');
  if (!isUndecided(claim))
    throw new IntakeRejection('invalid_transition', `The claim was decided: ${claim.decision}.`);
  requireState(held, 'claim_decide');
  const after = decided(claim, given, held, ctx.now());
  const closes = ctx.now() + held.policy.tickets.close_after_days * DAY_MS;
  // The ticket stays resolved at least as long as the seller can appeal.
  const closes_at = new Date(Math.max(closes, Date.parse(after.appeal_by ?? '') || 0)).toISOString();
  return writeMove(ctx, held, {
    ...{ name: 'claim_decide', author: 'marketplace', status: 'resolved' },
    change: { claim: after, resolution: given.decision, state_at: iso(time), closes_at },
    events: ['claimDecided'],
  });
}

async function applyUpdated(intake: IntakeCtx, event: MarketplaceEvent<UpdatedData>): Promise<IntakeOutcome> {
  const ctx = await actingFor(intake, event);
  const { data, time } = event;
  let held = await requireHeld(ctx, event.subject);
  if (isOlder(held.row, time)) return STALE;
  const change = {
    state_at: iso(time),
    ...(data.external_ticket_id != null && { external_ticket_id: data.external_ticket_id }),
  };
  held = await setPriority(ctx, held, data.priority ?? held.row.priority, change);
  if (data.escalated === true && held.row.escalated_at === null) {
    requireState(held, 'escalate_by_marketplace');
    held = await writeMove(ctx, held, {
      ...{ name: 'escalate_by_marketplace', author: 'marketplace', status: held.row.status },
      change: { escalated_at: ctx.at() },
      events: ['escalated'],
    });
  }
  if (data.claim !== undefined) held = await decide(ctx, held, data.claim, time);
  else if (data.status === 'resolved') {
    requireState(held, 'resolve_by_marketplace');
    await writeMove(ctx, held, {
      ...{ name: 'resolve_by_marketplace', author: 'marketplace', status: 'resolved' },
      change: { resolution: data.resolution ?? 'solved' },
      events: ['resolved'],
    });
  } else if (data.status === 'reopened') {
    requireState(held, 'reopen_by_marketplace');
    if (held.row.kind === 'claim')
      throw new IntakeRejection('invalid_transition', 'A claim is reopened by an appeal only.');
    await writeMove(ctx, held, {
      ...{ name: 'reopen_by_marketplace', author: 'marketplace', status: 'pending_seller' },
      events: ['reopened'],
    });
  }
  return APPLIED;
}

export const ticketMarketplaceEvents = [
  defineMarketplaceEvent({
    type: 'marketplace.ticket.opened',
    summary:
      'A request of the marketplace, an enquiry of a buyer, or a claim. Without `kind`: an enquiry if it names an order, else a request',
    subject: 'marketplace ticket id',
    schema: Opened,
    example: {
      kind: 'claim',
      topic: 'delivery',
      priority: 'normal',
      subject: 'Parcel has not arrived',
      text: 'I have waited for three weeks.',
      order_id: 'ord_1002',
      customer_ref: 'cus_77',
      respond_by: '2026-08-01T00:00:00Z',
      claim: {
        ...{ type: 'not_received', amount_minor: 6_345, currency: 'AUD' },
        ...{ filed_at: '2026-07-25T00:00:00Z', default_outcome: 'granted' },
      },
    },
    apply: applyOpened,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.ticket.replied',
    summary:
      'The marketplace or a buyer writes in a ticket. A text that is older than the state changes no state',
    subject: 'ticket id',
    schema: Replied,
    example: { reply_id: 'r-1', author: 'marketplace', text: 'Please send the proof.', waiting_on: 'seller' },
    apply: applyReplied,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.ticket.updated',
    summary:
      'The marketplace resolves or reopens a ticket, changes its priority, escalates it, or decides a claim',
    subject: 'ticket id',
    schema: Updated,
    example: {
      external_ticket_id: 'T-9',
      claim: {
        ...{ decision: 'granted', granted_minor: 6_345, funded_by: 'seller' },
        decided_at: '2026-08-02T00:00:00Z',
      },
    },
    apply: applyUpdated,
  }),
];
