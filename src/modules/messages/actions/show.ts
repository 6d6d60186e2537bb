/** Threads and messages as the API and events show them. */
import type { Acting } from '../../../kernel/context.ts';
import { attachmentToWire } from '../../../platform/attachments/attachment-schema.ts';
import { findAttachments } from '../../../platform/attachments/attachments.ts';
import { buyersOf } from '../../../platform/buyers/buyers.ts';
import { policiesOf } from '../../../platform/service-policy/policies.ts';
import { DEFAULT_POLICY } from '../../../platform/service-policy/policy.ts';
import { allowedActions } from '../domain/allowed.ts';
import { clockOf } from '../domain/turns.ts';
import type { Message, Thread, ThreadFacts } from '../schemas.ts';
import type { MessageRow, ThreadRow } from '../store/tables.ts';
import { turnsOf } from '../store/threads.ts';
import { currentPolicy } from './change-thread.ts';

type Reading = Pick<Acting, 'db' | 'seller_id' | 'now'>;

const WAITING = {
  awaiting_seller: 'seller',
  awaiting_buyer: 'buyer',
  settled: 'nobody',
  closed: 'nobody',
} as const;

/** Threads without what the seller can do with them. */
export async function factsOf(ctx: Reading, rows: readonly ThreadRow[]): Promise<ThreadFacts[]> {
  const ids = rows.filter(({ turn_no }) => turn_no > 0).map(({ thread_id }) => thread_id);
  const [turns, buyers] = await Promise.all([
    ids.length === 0 ? [] : turnsOf(ctx, ids),
    buyersOf(
      ctx,
      rows.map(({ buyer_id }) => buyer_id),
    ),
  ]);
  const policies = await policiesOf(
    ctx.db,
    turns.map(({ policy_version }) => policy_version),
  );
  const shown = new Map(
    turns.map((turn) => {
      const { turn_no, opened_at, ended_at, outcome, policy_version } = turn;
      const { calendar } = (policies.get(policy_version) ?? DEFAULT_POLICY).messages;
      return [
        turn.thread_id,
        { turn_no, opened_at, ended_at, outcome, ...clockOf(turn, calendar, ctx.now()) },
      ];
    }),
  );
  return rows.map(({ thread_id, order_id, product_id, buyer_id, state, ...row }) => ({
    thread_id,
    subject: { kind: order_id === null ? 'product' : 'order', order_id, product_id },
    buyer: buyers.get(buyer_id ?? '') ?? null,
    topic: row.topic,
    status: state === 'closed' ? 'closed' : 'open',
    locked: row.locked,
    waiting_on: WAITING[state],
    unread_count: row.unread_count,
    message_count: row.message_count,
    last_message_at: row.last_message_at,
    respond_by: row.respond_by,
    turn: shown.get(thread_id) ?? null,
    previous_thread_id: row.previous_thread_id,
    closed_at: row.closed_at,
    ...{ version: row.version, created_at: row.created_at, updated_at: row.updated_at },
  }));
}

export async function showThreads(ctx: Acting, rows: readonly ThreadRow[]): Promise<Thread[]> {
  const [facts, { thread_open_days }] = await Promise.all([factsOf(ctx, rows), currentPolicy(ctx)]);
  return rows.flatMap((row, index) => {
    const shown = facts[index];
    return shown === undefined
      ? []
      : [{ ...shown, allowed_actions: allowedActions(row, thread_open_days, ctx.now()) }];
  });
}

export async function showThread(ctx: Acting, row: ThreadRow): Promise<Thread> {
  const [shown] = await showThreads(ctx, [row]);
  if (shown === undefined) throw new Error('a thread is shown once');
  return shown;
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
