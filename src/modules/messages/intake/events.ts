/** What the marketplace says about messages and threads. Source: docs/design/conversations.md#threads. */
import Type, { type Static } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import { maskText, TEXT_CHARS_MAX } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { allows, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { deleteContents, takeSent } from '../../../platform/attachments/attachments.ts';
import { reachedBy } from '../../../platform/buyers/erasures.ts';
import { currentPolicy } from '../actions/change-thread.ts';
import { readKnown } from '../actions/known.ts';
import { beginThread, decide, isOver, receive, threadToContinue, update } from '../actions/receive.ts';
import { DECISIONS, messageMachine } from '../domain/machines.ts';
import type { MessageRow, ThreadRow } from '../store/tables.ts';
import {
  lockSubject,
  lockThread,
  messageNamed,
  openThread,
  orderNamed,
  productNamed,
  threadNamed,
} from '../store/threads.ts';
import { belongingOf, buyerOf, type Place } from './message-buyer.ts';

const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };
const NAME_CHARS_MAX = 200;
const FILES_MAX = 5;

/** A word for programs. */
const Code = () =>
  Type.String({
    ...allows('^[a-z][a-z0-9_]{0,39}$', 'Use at most 40 small letters, digits and `_`, a letter first.'),
  });
const Name = () => Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX });
const optionalName = () => Type.Optional(Nullable(Name()));

async function actingFor(
  intake: IntakeCtx,
  { seller_id, subject }: Pick<MarketplaceEvent<unknown>, 'seller_id' | 'subject'>,
): Promise<{ readonly ctx: Acting; readonly subject: string }> {
  if (subject === null)
    throw new IntakeRejection('data_invalid', 'subject must name what the event is about');
  return {
    ctx: await actingForSeller(intake, seller_id, 'sellerid must name the seller of the thread.'),
    subject,
  };
}

const Received = Type.Object({
  message_id: Name(),
  from: optionalName(),
  customer_ref: optionalName(),
  role: Type.Optional(StringEnum(['buyer', 'marketplace'])),
  text: Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX }),
  attachments: Type.Optional(Type.Array(Name(), { maxItems: FILES_MAX, uniqueItems: true })),
  sent_at: Type.Optional(Instant()),
  thread_ref: optionalName(),
  topic: Type.Optional(Nullable(Code())),
  automatic: Type.Optional(Type.Boolean({ description: 'Sent for a person, for example a note of absence' })),
});
type ReceivedData = Static<typeof Received>;
type ReceivedEvent = MarketplaceEvent<ReceivedData>;

async function placeOf(ctx: Acting, subject: string, ref: string | null): Promise<Place> {
  const [named, referred] = await Promise.all([
    threadNamed(ctx, subject),
    ref === null ? undefined : threadNamed(ctx, ref),
  ]);
  const thread = named ?? referred;
  if (thread !== undefined) return { thread };
  if (subject.startsWith('thr_'))
    throw new IntakeRejection('thread_not_found', `There is no thread ${subject}.`);
  const [order, product] = await Promise.all([orderNamed(ctx, subject), productNamed(ctx, subject)]);
  if (order !== undefined) return { order };
  if (product !== undefined) return { product_id: product.product_id };
  const kind = subject.startsWith('prd_') ? 'product' : 'order';
  throw new IntakeRejection(`${kind}_not_found`, `The seller has no ${kind} ${subject}.`);
}

const originOf = ({ automatic, role }: ReceivedData): MessageRow['origin'] =>
  automatic === true ? 'automatic' : (role ?? 'buyer');

/** The files of a message. @throws IntakeRejection `attachment_not_found` */
async function filesOf(ctx: Acting, ids: readonly string[], erased: boolean): Promise<string[]> {
  const files = (await takeSent(ctx, ids)).map(({ attachment_id }) => attachment_id);
  const unknown = ids.find((id) => !files.includes(id));
  if (unknown !== undefined)
    throw new IntakeRejection('attachment_not_found', `There is no file ${unknown} that waits to be used.`);
  if (erased) await deleteContents(ctx, files, 'buyer_erased');
  return ids.slice();
}

async function applyReceived(intake: IntakeCtx, event: ReceivedEvent): Promise<IntakeOutcome> {
  const { ctx, subject } = await actingFor(intake, event);
  const { data, time } = event;
  const ref = data.thread_ref ?? null;
  const writer = { ...data, time };
  // The statements of one turn share a round trip, in this order.
  const [, , place, policy, known] = await Promise.all([
    lockSubject(ctx, `message ${data.message_id}`),
    lockSubject(ctx, subject),
    placeOf(ctx, subject, ref),
    currentPolicy(ctx),
    messageNamed(ctx, data.message_id),
  ]);
  const { thread, order, product_id = null } = place;
  const about = {
    order_id: thread?.order_id ?? order?.order_id ?? null,
    product_id: thread?.product_id ?? product_id,
  };
  // A message that is known already must make no buyer.
  const [allowed, found] = await Promise.all([
    readKnown(ctx, about, policy),
    known === undefined ? buyerOf(ctx, writer, place) : undefined,
  ]);
  const { text, masked } = maskText(data.text, allowed);
  if (text === '') throw new IntakeRejection('data_invalid', 'data/text is blank');
  const origin = originOf(data);
  const attachments = data.attachments ?? [];
  const sent_at = new Date(data.sent_at ?? time).toISOString();
  const content_digest = contentDigest({ text, masked, origin, attachments, sent_at });
  if (wasAdded(known && { digest: known.content_digest }, content_digest, `message ${data.message_id}`))
    return APPLIED;
  const buyer = found ?? (await buyerOf(ctx, writer, place));
  const parties = { ...about, buyer_id: buyer.erased ? null : buyer.buyer_id };
  // Threads of others may have no buyer either.
  const among =
    buyer.erased && data.customer_ref != null ? await reachedBy(ctx, data.customer_ref) : undefined;
  const begin = (previous: ThreadRow | undefined) =>
    beginThread(ctx, parties, data.topic ?? previous?.topic ?? 'other', {
      external_thread_id: ref,
      previous_thread_id: previous?.thread_id ?? null,
    });
  // The row of a thread that goes on is locked alone: messages about one product need not wait for each other.
  const now = ctx.now();
  const goesOn = thread !== undefined && !isOver(thread, policy, now);
  const [, joined] = await Promise.all([
    !goesOn && lockSubject(ctx, about.order_id ?? about.product_id ?? ''),
    thread === undefined
      ? openThread(ctx, parties, ref, among).then((open) => threadToContinue(ctx, open, begin, policy, now))
      : threadToContinue(ctx, thread, begin, policy, now),
  ]);
  const { erased, thread: owned } = await belongingOf(ctx, joined, buyer, writer);
  const row: MessageRow = {
    message_id: ctx.ids.next('msg_'),
    thread_id: joined.thread_id,
    external_message_id: data.message_id,
    ...{ origin, member_id: null, masked, status: 'received', reasons: [], unread: true },
    text: erased ? null : text,
    redacted: erased ? { reason: 'erasure', at: ctx.at() } : null,
    attachment_ids: await filesOf(ctx, attachments, erased),
    ...{ ended_turn: null, reported_at: null, decided_at: null, decided_version: null },
    content_digest: erased ? null : content_digest,
    ...{ sent_at, recorded_at: ctx.at() },
  };
  const { buyer_id, erased_at } = owned;
  const named = { external_thread_id: ref, buyer_id, erased_at };
  await receive(ctx, joined, row, new Date(time).toISOString(), named, policy);
  return APPLIED;
}

const Moderated = Type.Object({
  decision: StringEnum(DECISIONS),
  reasons: Type.Optional(Type.Array(Code(), { maxItems: 20 })),
  at: Type.Optional(Instant()),
});

async function applyModerated(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Moderated>>,
): Promise<IntakeOutcome> {
  const { ctx, subject } = await actingFor(intake, event);
  const named = await messageNamed(ctx, subject);
  if (named === undefined) throw new IntakeRejection('message_not_found', `There is no message ${subject}.`);
  const thread = await lockThread(ctx, named.thread_id);
  // The row of the thread puts the decisions in order.
  const row = await messageNamed(ctx, named.message_id);
  if (thread === undefined || row === undefined) throw new Error('a message has a thread');
  const order = orderOf(event);
  if (isOlder(order, { at: row.decided_at, version: row.decided_version })) return STALE;
  const { decision, reasons = [] } = event.data;
  if (row.status === decision) return STALE;
  if (!messageMachine.allows(decision, row.status))
    throw new IntakeRejection('invalid_transition', `The message is ${row.status}.`);
  await decide(ctx, thread, row, {
    ...{ status: decision, reasons },
    ...{ decided_at: new Date(order.at).toISOString(), decided_version: order.version },
  });
  return APPLIED;
}

const Updated = Type.Object({
  status: Type.Optional(StringEnum(['open', 'closed'])),
  locked: Type.Optional(Type.Boolean()),
  reason: optionalName(),
});

async function applyUpdated(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Updated>>,
): Promise<IntakeOutcome> {
  const { ctx, subject } = await actingFor(intake, event);
  const named = await threadNamed(ctx, subject);
  const thread = named && (await lockThread(ctx, named.thread_id));
  if (thread === undefined) throw new IntakeRejection('thread_not_found', `There is no thread ${subject}.`);
  const { at, version } = orderOf(event);
  const order = { at: new Date(at).toISOString(), version };
  const isStale = isOlder(order, { at: thread.state_at, version: thread.state_version });
  return (await update(ctx, thread, event.data, order, isStale)) ? APPLIED : STALE;
}

/** The marketplace's name of the thread, which its first message gives it; without one, what the message is about. */
function threadNameOf({
  subject,
  data,
}: {
  readonly subject: string | null;
  readonly data: unknown;
}): string {
  const { thread_ref = subject } = (data ?? {}) as { readonly thread_ref?: unknown };
  return String(thread_ref);
}

export const messageMarketplaceEvents = [
  defineMarketplaceEvent({
    type: 'marketplace.message.received',
    summary:
      'A buyer or the marketplace writes to a seller; the text is stored without contact data. `customer_ref` is the buyer of the thread: another one is `rejected(buyer_mismatch)`',
    subject: 'thread, order or product id',
    laneOf: threadNameOf,
    schema: Received,
    example: {
      ...{ message_id: 'm-1', from: 'buyer_9f2', customer_ref: 'cus_77', role: 'buyer' },
      ...{ text: 'Where is my parcel?', attachments: [], sent_at: '2026-06-28T01:00:00Z' },
      ...{ thread_ref: 'conv-5', topic: 'delivery', automatic: false },
    },
    apply: applyReceived,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.message.moderated',
    summary: 'What becomes of a message; a rejected reply opens its turn again',
    subject: 'message id',
    schema: Moderated,
    example: { decision: 'rejected', reasons: ['contact_information'], at: '2026-06-28T01:00:00Z' },
    apply: applyModerated,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.thread.updated',
    summary: 'The marketplace closes, opens or locks a thread',
    subject: 'thread id',
    schema: Updated,
    example: { status: 'closed', locked: false, reason: 'Solved by support' },
    apply: applyUpdated,
  }),
];
