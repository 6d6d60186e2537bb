/** Writes of a thread and its turn. Every change holds the row of the thread, so changes of one thread have an order. */
import type { BusinessCalendar } from '../../../kernel/australia/business-time.ts';
import type { Acting } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { policiesOf, policyAt } from '../../../platform/service-policy/policies.ts';
import { DEFAULT_POLICY, type ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { windowEnd } from '../domain/allowed.ts';
import { type ThreadState, threadMachine } from '../domain/machines.ts';
import { endTurn, nextDue, openTurn } from '../domain/turns.ts';
import { messageErrors } from '../errors.ts';
import { type ThreadRow, type TurnRow, threads, turns } from '../store/tables.ts';
import { turnOf } from '../store/threads.ts';

export const TIMER = 'messages.timer';
export const DAY_MS = 86_400_000;

/** The calendar by which a turn is counted. */
export async function calendarOf(ctx: Acting, { policy_version }: TurnRow): Promise<BusinessCalendar> {
  const policy = (await policiesOf(ctx.db, [policy_version])).get(policy_version) ?? DEFAULT_POLICY;
  return policy.messages.calendar;
}

export const currentPolicy = (ctx: Acting): Promise<ServicePolicy> => policyAt(ctx.db, ctx.now());

/**
 * The deadline of a thread is that of its open turn: a turn is open exactly while the thread waits for the seller.
 */
const deadlinesOf = (state: ThreadState, turn: TurnRow) =>
  state === 'awaiting_seller'
    ? { respond_by: turn.respond_by, next_due_at: nextDue(turn) }
    : { respond_by: null, next_due_at: null };

/** Plans the timer of the seller. A timer for an earlier instant stays. */
async function planTimer(ctx: Acting, due: string | null): Promise<void> {
  if (due === null) return;
  await ctx.jobs.add({ kind: TIMER, uniqueKey: ctx.seller_id, dueAt: Date.parse(due) });
}

/** Writes a thread, and the turn if it has changed, with one round trip. */
export async function writeThread(
  ctx: Acting,
  before: ThreadRow,
  change: Partial<ThreadRow>,
  turn?: TurnRow,
): Promise<ThreadRow> {
  const state = change.state ?? before.state;
  const deadlines = turn === undefined ? {} : deadlinesOf(state, turn);
  const closed = state === 'closed' ? {} : { closed_at: null, closed_by: null };
  const [after] = await Promise.all([
    writeVersion(threads, ctx, before, { ...closed, ...change, ...deadlines }),
    turn && turns.upsertMany(ctx, [turn]),
  ]);
  if (after.next_due_at !== before.next_due_at) await planTimer(ctx, after.next_due_at);
  return after;
}

type ThreadEvent = Parameters<typeof threadMachine.allows>[0];

/** @throws ApiError 409 `invalid_transition` */
export const requireState = (thread: ThreadRow, event: ThreadEvent): void =>
  requireMove(threadMachine, event, thread.state);

/** @throws ApiError 409 `contact_window_passed` */
export function requireWindow(ctx: Acting, end: number | undefined): void {
  if (end !== undefined && ctx.now() > end)
    throw fail(messageErrors.contact_window_passed, {
      facts: { contact_until: new Date(end).toISOString() },
    });
}

/** @throws ApiError 409 `thread_locked|contact_window_passed` */
export function requireContact(ctx: Acting, thread: ThreadRow, { thread_open_days }: ServicePolicy): void {
  if (thread.locked) throw fail(messageErrors.thread_locked);
  requireWindow(ctx, windowEnd(thread, thread_open_days));
}

/** The next turn of a thread, under the policy in force now. */
export const nextTurn = (ctx: Acting, thread: ThreadRow, policy: ServicePolicy): TurnRow => {
  const { response_minutes: minutes, calendar } = policy.messages;
  const { thread_id, turn_no } = thread;
  const target = { version: policy.version, minutes, calendar };
  return openTurn({ thread_id, turn_no: turn_no + 1 }, target, ctx.now());
};

/** The open turn of a thread, ended without an answer; undefined if none is open. */
export async function ended(
  ctx: Acting,
  thread: ThreadRow,
  outcome: 'no_reply_needed' | 'withdrawn',
): Promise<TurnRow | undefined> {
  const turn = thread.state === 'awaiting_seller' ? await turnOf(ctx, thread) : undefined;
  return turn && endTurn(turn, outcome, await calendarOf(ctx, turn), ctx.now());
}
