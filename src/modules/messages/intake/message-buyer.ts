/** Whose a message is, and whether it is from before the erasure of its buyer. Source: docs/design/buyers.md#erasure. */
import type { Acting } from '../../../kernel/context.ts';
import { IntakeRejection } from '../../../kernel/events.ts';
import { laterOf } from '../../../kernel/instant.ts';
import {
  dropAliases,
  holdBuyers,
  type Knowledge,
  knowledgeOf,
  type ResolvedBuyer,
  resolveBuyer,
} from '../../../platform/buyers/buyers.ts';
import { erasedAtOf, isErasedBy, joinErasures, wasOfAnother } from '../../../platform/buyers/erasures.ts';
import { eraseThreads } from '../actions/erase-buyer.ts';
import { giveThread } from '../store/erase.ts';
import type { ThreadRow } from '../store/tables.ts';
import { lockThread, type OrderSubject, orderNamed, threadNamed } from '../store/threads.ts';

/** What a message is about, and the thread that it names. */
export interface Place {
  readonly thread?: ThreadRow | undefined;
  readonly order?: OrderSubject | undefined;
  readonly product_id?: string | undefined;
}

/** Who writes, as the event says. */
interface Writer {
  readonly from?: string | null | undefined;
  /** The buyer of the thread, also when the marketplace writes. */
  readonly customer_ref?: string | null | undefined;
  readonly role?: 'buyer' | 'marketplace' | undefined;
  /** When it happened, RFC 3339. */
  readonly time: string;
}

const UNNAMED: ResolvedBuyer = { buyer_id: null, alias: null, erased: false };

/**
 * The buyer of a message. Without a reference it is the buyer of the thread, or the buyer of the order if the message
 * gives no other alias. One from before the erasure of the order's or the thread's buyer is about the erased one.
 */
export async function buyerOf(ctx: Acting, writer: Writer, place: Place): Promise<ResolvedBuyer> {
  const { from, customer_ref, role, time } = writer;
  const alias = role === 'marketplace' ? null : from;
  if (customer_ref != null) return resolveBuyer(ctx, { customer_ref, alias }, time);
  const order_id = place.order?.order_id ?? place.thread?.order_id ?? null;
  const [, erasedAt, order, thread] = await Promise.all([
    holdBuyers(ctx, order_id === null ? [] : [order_id], place.thread?.buyer_id),
    erasedAtOf(ctx, [order_id, place.thread?.thread_id]),
    place.order && orderNamed(ctx, place.order.order_id),
    place.thread && threadNamed(ctx, place.thread.thread_id),
  ]);
  const upto = laterOf(erasedAt, thread?.erased_at ?? null);
  if (isErasedBy(time, upto)) return { ...UNNAMED, erased: true };
  if (thread !== undefined && thread.buyer_id !== null) return { ...UNNAMED, buyer_id: thread.buyer_id };
  const isOrders = from == null || from === order?.buyer_alias;
  if (order !== undefined && (isOrders || role === 'marketplace'))
    return { buyer_id: order.buyer_id, alias: order.buyer_alias, erased: order.erased_at !== null };
  // An alias must not bring back the one of an erased buyer.
  return upto === null ? resolveBuyer(ctx, { alias }, time) : UNNAMED;
}

/** How a thread knows its buyer. @throws IntakeRejection `buyer_mismatch` if it is that of another one */
async function requireBuyer(ctx: Acting, thread: ThreadRow, customerRef: string): Promise<Knowledge> {
  const { thread_id, buyer_id, erased_at } = thread;
  const knowledge = await knowledgeOf(ctx, buyer_id, customerRef);
  const wasErased = knowledge === 'none' && erased_at !== null;
  if (knowledge === 'as_another' || (wasErased && (await wasOfAnother(ctx, thread_id, customerRef))))
    throw new IntakeRejection(
      'buyer_mismatch',
      'data/customer_ref names another buyer than the one of the thread.',
    );
  return knowledge;
}

/** Whose a thread is after a message, and whether the message is stored without its text. */
interface Belonging {
  readonly thread: Pick<ThreadRow, 'buyer_id' | 'erased_at'>;
  readonly erased: boolean;
}

/** The message names no reference. What was erased while it waited for the thread is known now. */
async function ofUnnamed(
  ctx: Acting,
  thread: ThreadRow,
  buyer: ResolvedBuyer,
  isNew: boolean,
  time: string,
): Promise<Belonging> {
  const { thread_id, order_id, previous_thread_id } = thread;
  const joined =
    isNew && thread.buyer_id === null
      ? await joinErasures(ctx, thread_id, { object_ids: [order_id, previous_thread_id] })
      : null;
  const erased_at = laterOf(thread.erased_at, joined);
  const erased = buyer.erased || isErasedBy(time, erased_at);
  const buyer_id = thread.buyer_id ?? (erased || erased_at !== null ? null : buyer.buyer_id);
  return { thread: { buyer_id, erased_at }, erased };
}

/** A thread turns out to be that of an erased buyer. */
async function ofErased(
  ctx: Acting,
  { thread_id, erased_at }: ThreadRow,
  knowledge: Knowledge,
  customer_ref: string,
): Promise<Belonging> {
  if (erased_at === null || knowledge === 'by_alias') await eraseThreads(ctx, [thread_id]);
  const joined = await joinErasures(ctx, thread_id, { customer_ref });
  return { thread: { buyer_id: null, erased_at: laterOf(erased_at, joined) }, erased: true };
}

interface Named extends Belonging {
  /** How the thread knew its buyer before the message. */
  readonly knowledge: Knowledge;
}

/** Whose a thread is after a message that names a reference. @throws IntakeRejection `buyer_mismatch` */
async function ofNamed(
  ctx: Acting,
  thread: ThreadRow,
  buyer: ResolvedBuyer,
  customerRef: string,
): Promise<Named> {
  const { erased_at } = thread;
  const knowledge = await requireBuyer(ctx, thread, customerRef);
  if (!buyer.erased) return { thread: { buyer_id: buyer.buyer_id, erased_at }, erased: false, knowledge };
  if (knowledge === 'by_reference') return { thread, erased: true, knowledge };
  return { ...(await ofErased(ctx, thread, knowledge, customerRef)), knowledge };
}

/**
 * Gives the threads that a thread continues to its buyer, back to one that is known to be the buyer's.
 *
 * @returns the threads, as they were
 * @throws IntakeRejection `buyer_mismatch`
 */
async function giveEarlier(
  ctx: Acting,
  { previous_thread_id }: ThreadRow,
  buyer: ResolvedBuyer,
  customerRef: string,
): Promise<ThreadRow[]> {
  const earlier = previous_thread_id === null ? undefined : await lockThread(ctx, previous_thread_id);
  if (earlier === undefined) return [];
  const { knowledge, thread } = await ofNamed(ctx, earlier, buyer, customerRef);
  if (knowledge === 'by_reference') return [];
  await giveThread(ctx, earlier.thread_id, thread);
  return [earlier, ...(await giveEarlier(ctx, earlier, buyer, customerRef))];
}

/**
 * Decides whose a thread is after a message, when the row of the thread is locked. A thread without a buyer, and one
 * whose buyer is known by an alias only, is that of the buyer whom the message names, so that an erasure finds the text.
 * So are the threads that it continues. What only these threads had of an alias goes.
 *
 * @throws IntakeRejection `buyer_mismatch`
 */
export async function belongingOf(
  ctx: Acting,
  thread: ThreadRow,
  buyer: ResolvedBuyer,
  { customer_ref, time }: Writer,
): Promise<Belonging> {
  const isNew = thread.message_count === 0;
  if (customer_ref == null) return ofUnnamed(ctx, thread, buyer, isNew, time);
  const named = isNew ? undefined : await ofNamed(ctx, thread, buyer, customer_ref);
  if (named?.knowledge === 'by_reference') return named;
  await dropAliases(ctx, [thread, ...(await giveEarlier(ctx, thread, buyer, customer_ref))]);
  if (named !== undefined) return named;
  if (buyer.erased) return ofErased(ctx, thread, 'none', customer_ref);
  return { thread: { buyer_id: buyer.buyer_id, erased_at: thread.erased_at }, erased: false };
}
