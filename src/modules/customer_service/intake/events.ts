/** What the marketplace says about tickets: it opens them and answers. */
import Type, { type Static } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { laterOf } from '../../../kernel/instant.ts';
import { CURRENCY, Instant, StringEnum } from '../../../kernel/schema.ts';
import { holdBuyers, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { erasedAtOf, isErasedBy, joinErasures } from '../../../platform/buyers/erasures.ts';
import { type Held, type NewTicket, openTicket, writeMove } from '../actions/change-ticket.ts';
import { maskAll, NO_TEXT, stored } from '../actions/store-text.ts';
import { LINK_NAMES, type LinkName, type Links } from '../domain/links.ts';
import {
  CLAIM_DECISIONS,
  CLAIM_TYPES,
  pendingOf,
  SIDES,
  TICKET_PRIORITIES,
  TICKET_TOPICS,
  waitsFor,
} from '../domain/ticket.ts';
import { findOrder, hasLinked, ordersOfLinks, threadOfLinks } from '../store/links.ts';
import { findEntry, findTicket, lockTicketName, type TicketRow } from '../store/tables.ts';
import {
  Amount,
  APPLIED,
  actingFor,
  DAY_MS,
  isOlder,
  iso,
  Name,
  optional,
  requireHeld,
} from './ticket-event.ts';
import { applyUpdated, Updated } from './updated.ts';

const FILES_MAX = 50;
/** A deadline that is further away would make the search for its business time long. */
const RESPOND_DAYS_MAX = 400;
const LongText = Type.String({ maxLength: 100_000 });
const Files = Type.Optional(Type.Array(Name, { maxItems: FILES_MAX }));

const ClaimData = Type.Object({
  type: StringEnum(CLAIM_TYPES),
  amount_minor: Amount,
  currency: Type.String({ ...CURRENCY }),
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

/** The objects that the event names. @throws IntakeRejection `…_not_found` */
async function linksOf(ctx: Acting, { order_id, links = {} }: OpenedData): Promise<Links> {
  const given = { ...links, ...(order_id != null && { order_id }) } as Record<
    string,
    string | null | undefined
  >;
  const order = given['order_id'] == null ? undefined : await findOrder(ctx, given['order_id']);
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
  return found;
}

/** The buyer of the order, else of the thread; null if the links lead to several orders. */
async function buyerOfLinks(ctx: Acting, links: Links, order_ids: readonly string[]) {
  const id = links.order_id ?? (order_ids.length === 1 ? order_ids[0] : undefined);
  if (id !== undefined) return (await findOrder(ctx, id))?.buyer_id ?? null;
  return order_ids.length > 0 ? null : ((await threadOfLinks(ctx, links))?.buyer_id ?? null);
}

/** Until when what has happened to the buyer of the links is erased. A text about an erased order is never kept. */
async function erasureOfLinks(ctx: Acting, links: Links, order_ids: readonly string[], time: string) {
  const [thread, ofThread, ofOrders] = await Promise.all([
    threadOfLinks(ctx, links),
    erasedAtOf(ctx, [links.thread_id]),
    erasedAtOf(ctx, order_ids),
  ]);
  const upto = laterOf(thread?.erased_at ?? null, ofThread);
  return { erased: ofOrders !== null || isErasedBy(time, upto), erased_at: laterOf(upto, ofOrders) };
}

/** Whose a new ticket is, and whether it is from before the erasure of its buyer. */
async function belongingOf(
  ctx: Acting,
  ticket: { readonly ticket_id: string; readonly kind: NewTicket['kind']; readonly links: Links },
  order_ids: readonly string[],
  { customer_ref = null }: OpenedData,
  time: string,
) {
  const { ticket_id, kind, links } = ticket;
  if (customer_ref !== null) {
    const { buyer_id, erased } = await resolveBuyer(ctx, { customer_ref }, time);
    const erased_at = erased ? await joinErasures(ctx, ticket_id, { customer_ref }) : null;
    return { buyer_id, erased, erased_at };
  }
  if (kind === 'marketplace_request') return { buyer_id: null, erased: false, erased_at: null };
  const buyer_id = await buyerOfLinks(ctx, links, order_ids);
  // It waits for an erasure that is not committed yet, so it comes before the links are read.
  if (buyer_id === null) await joinErasures(ctx, ticket_id, { object_ids: [...order_ids, links.thread_id] });
  const { erased, erased_at } = await erasureOfLinks(ctx, links, order_ids, time);
  return { buyer_id, erased, erased_at: buyer_id === null || erased ? erased_at : null };
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
  await lockTicketName(ctx, external_ticket_id);
  const links = await linksOf(ctx, data);
  const order_ids = await ordersOfLinks(ctx, links);
  await holdBuyers(ctx, order_ids, (await threadOfLinks(ctx, links))?.buyer_id);
  if (data.respond_by != null && Date.parse(data.respond_by) > ctx.now() + RESPOND_DAYS_MAX * DAY_MS)
    throw new IntakeRejection('data_invalid', `data/respond_by is more than ${RESPOND_DAYS_MAX} days away.`);
  const kind = data.kind ?? (links.order_id === undefined ? 'marketplace_request' : 'enquiry');
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
  const ticket = { ticket_id: ctx.ids.next('tkt_'), kind, links };
  const { erased, ...owned } = await belongingOf(ctx, ticket, order_ids, data, time);
  const said = { ...data, text, masked, external_entry_id: name, digest, erased };
  const written = await stored(ctx, said);
  const topic = data.topic ?? (kind === 'claim' ? 'claim' : 'other');
  const titled = erased ? '' : title.text;
  await openTicket(
    ctx,
    {
      ...{ ...ticket, ...owned, external_ticket_id, topic, claim },
      ...{ subject: [...titled].slice(0, 200).join('') || topic, priority: data.priority ?? 'normal' },
      ...{ status: 'pending_seller', state_at: iso(time), priority_at: iso(time) },
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

/**
 * Whether a text is older than the state of the ticket, or than the question that its author has to answer now. It is
 * added, and changes no state and no clock.
 */
const isPast = ({ row, clocks }: Held, author: string, time: string): boolean =>
  isOlder(time, row.state_at) ||
  clocks.some(
    ({ metric, round, obligated, stopped_at, started_at }) =>
      metric === 'response' &&
      round > 1 &&
      obligated === author &&
      stopped_at === null &&
      isOlder(time, started_at),
  );

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
  await lockTicketName(ctx, data.reply_id);
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
  const isLate = isPast(held, author, time);
  if (row.status === 'closed' && !isLate)
    throw new IntakeRejection('invalid_transition', 'The ticket is closed.');
  const reopens = waitsFor(row.status) === undefined;
  // Only an appeal reopens a claim.
  if (isLate || (reopens && row.kind === 'claim')) {
    const { status } = row;
    await writeMove(ctx, held, {
      ...{ name: 'reply_by_other', author, status, written, isLate: true },
      events: ['replied'],
    });
    return APPLIED;
  }
  await writeMove(ctx, held, {
    ...{ name: 'reply_by_other', author, status: pendingOf(waiting_on), written },
    change: { state_at: iso(time) },
    events: reopens ? ['reopened', 'replied'] : ['replied'],
  });
  return APPLIED;
}

/** Whether a text is older than the erasure of the buyer of the ticket or of its links. */
async function isOfErased(ctx: Acting, row: TicketRow, author: string, time: string): Promise<boolean> {
  if (row.erased_at !== null) return isErasedBy(time, row.erased_at);
  if (row.buyer_id !== null || author !== 'buyer') return false;
  return (await erasureOfLinks(ctx, row.links, await ordersOfLinks(ctx, row.links), time)).erased;
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
