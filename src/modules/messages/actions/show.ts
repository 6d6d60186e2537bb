/** Threads and messages as the API and events show them. */
import type { Acting } from '../../../kernel/context.ts';
import { attachmentToWire } from '../../../platform/attachments/attachment-schema.ts';
import { findAttachments } from '../../../platform/attachments/attachments.ts';
import { type Buyer, buyersOf } from '../../../platform/buyers/buyers.ts';
import { policiesOf } from '../../../platform/service-policy/policies.ts';
import { DEFAULT_POLICY, type ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { allowedActions } from '../domain/allowed.ts';
import { clockOf } from '../domain/turns.ts';
import type { Message, Thread, ThreadFacts } from '../schemas.ts';
import type { ListedThread, ShownThread } from '../store/lists.ts';
import type { MessageRow, ThreadRow, TurnRow } from '../store/tables.ts';
import { turnOf, turnsOf } from '../store/threads.ts';
import { currentPolicy } from './change-thread.ts';

type Reading = Pick<Acting, 'db' | 'seller_id' | 'now'>;

const WAITING = {
  awaiting_seller: 'seller',
  awaiting_buyer: 'buyer',
  settled: 'nobody',
  closed: 'nobody',
} as const;

type ShownTurn = Parameters<typeof clockOf>[0] & Pick<TurnRow, 'turn_no' | 'ended_at'>;
/** A thread with its newest turn and its buyer. */
interface Line {
  readonly row: ShownThread;
  readonly turn: ShownTurn | undefined;
  readonly buyer: Buyer | null;
}

async function linesOf(ctx: Reading, rows: readonly ThreadRow[]): Promise<Line[]> {
  const ids = rows.filter(({ turn_no }) => turn_no > 0).map(({ thread_id }) => thread_id);
  const [turns, buyers] = await Promise.all([
    ids.length === 0 ? [] : turnsOf(ctx, ids),
    buyersOf(
      ctx,
      rows.map(({ buyer_id }) => buyer_id),
    ),
  ]);
  const byThread = new Map(turns.map((turn) => [turn.thread_id, turn]));
  return rows.map((row) => ({
    row,
    turn: byThread.get(row.thread_id),
    buyer: buyers.get(row.buyer_id ?? '') ?? null,
  }));
}

/** A row of the inbox. A thread before its first question has no turn. */
export function lineOf(listed: ListedThread): Line {
  const { opened_at, ended_at, outcome, policy_version, target_minutes, turn_respond_by } = listed;
  const { turn_no, business_minutes, alias, buyer_id } = listed;
  const buyer = buyer_id === null || alias === null ? null : { buyer_id, alias };
  if (opened_at === null || outcome === null || policy_version === null)
    return { row: listed, turn: undefined, buyer };
  const target = { target_minutes: target_minutes ?? 0, respond_by: turn_respond_by ?? opened_at };
  const turn = { turn_no, opened_at, ended_at, outcome, policy_version, business_minutes, ...target };
  return { row: listed, turn, buyer };
}

async function factsOfLines(
  { db, now }: Reading,
  lines: readonly Line[],
  known?: ServicePolicy,
): Promise<ThreadFacts[]> {
  const policies = await policiesOf(
    db,
    lines.flatMap(({ turn }) => turn?.policy_version ?? []),
    known,
  );
  return lines.map(({ row, turn, buyer }) => ({
    thread_id: row.thread_id,
    subject: {
      kind: row.order_id === null ? 'product' : 'order',
      order_id: row.order_id,
      product_id: row.product_id,
    },
    buyer,
    topic: row.topic,
    status: row.state === 'closed' ? 'closed' : 'open',
    locked: row.locked,
    waiting_on: WAITING[row.state],
    unread_count: row.unread_count,
    message_count: row.message_count,
    last_message_at: row.last_message_at,
    respond_by: row.respond_by,
    turn: turn === undefined ? null : showTurn(turn, policies, now()),
    previous_thread_id: row.previous_thread_id,
    closed_at: row.closed_at,
    ...{ version: row.version, created_at: row.created_at, updated_at: row.updated_at },
  }));
}

function showTurn(turn: ShownTurn, policies: ReadonlyMap<string, ServicePolicy>, now: number) {
  const { turn_no, opened_at, ended_at, outcome, policy_version } = turn;
  const { calendar } = (policies.get(policy_version) ?? DEFAULT_POLICY).messages;
  return { turn_no, opened_at, ended_at, outcome, ...clockOf(turn, calendar, now) };
}

/** Threads without the actions that the seller can take. */
export const factsOf = async (ctx: Reading, rows: readonly ThreadRow[]): Promise<ThreadFacts[]> =>
  factsOfLines(ctx, await linesOf(ctx, rows));

/**
 * The same of a thread that is being written: what stands beside it is read in the same round trip.
 *
 * @param named the thread, with its newest turn and its buyer after the write
 */
export async function factsWhile(
  ctx: Reading,
  named: Pick<ThreadRow, 'thread_id' | 'turn_no' | 'buyer_id'>,
  writing: Promise<ThreadRow>,
): Promise<ThreadFacts | undefined> {
  const { buyer_id } = named;
  const [row, turn, buyers] = await Promise.all([writing, turnOf(ctx, named), buyersOf(ctx, [buyer_id])]);
  const buyer = buyers.get(buyer_id ?? '') ?? null;
  const [facts] = await factsOfLines(ctx, [{ row, turn, buyer }]);
  return facts;
}

/** @param reading the threads, read beside the policy */
export async function showThreads(
  ctx: Acting,
  reading: Promise<readonly Line[]>,
): Promise<{ readonly row: ShownThread; readonly wire: Thread }[]> {
  const [lines, policy] = await Promise.all([reading, currentPolicy(ctx)]);
  const facts = await factsOfLines(ctx, lines, policy);
  return lines.flatMap(({ row }, index) => {
    const shown = facts[index];
    const allowed_actions = allowedActions(row, policy.thread_open_days, ctx.now());
    return shown === undefined ? [] : [{ row, wire: { ...shown, allowed_actions } }];
  });
}

export async function showThread(ctx: Acting, row: ThreadRow): Promise<Thread> {
  const [shown] = await showThreads(ctx, linesOf(ctx, [row]));
  if (shown === undefined) throw new Error('a thread is shown once');
  return shown.wire;
}

export async function showMessages(
  ctx: Pick<Acting, 'db' | 'seller_id'>,
  rows: readonly MessageRow[],
): Promise<Message[]> {
  const ids = rows.flatMap(({ attachment_ids }) => attachment_ids);
  const found = ids.length === 0 ? [] : await findAttachments(ctx, ids);
  const files = new Map(found.map((file) => [file.attachment_id, attachmentToWire(file)]));
  return rows.map(({ message_id, thread_id, origin, member_id, text, redacted, status, ...row }) => ({
    ...{ message_id, thread_id, origin, member_id, text, redacted, status },
    masked: [...row.masked],
    reasons: [...row.reasons],
    attachments: row.attachment_ids.flatMap((id) => files.get(id) ?? []),
    ...{ sent_at: row.sent_at, recorded_at: row.recorded_at },
  }));
}
