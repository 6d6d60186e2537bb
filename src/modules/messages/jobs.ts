/** Warns of deadlines, notes those that have passed, and deletes old texts. */

import type { Acting } from '../../kernel/context.ts';
import { acting } from '../../platform/acting.ts';
import { forgetTextsJob } from '../../platform/attachments/forget-texts.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { TIMER, writeThread } from './actions/change-thread.ts';
import { forgetThread } from './actions/erase-buyer.ts';
import { factsOf } from './actions/show.ts';
import { passTime } from './domain/turns.ts';
import { responseDue, responseOverdue } from './events.ts';
import { oldThreads } from './store/erase.ts';
import type { ThreadRow } from './store/tables.ts';
import { dueThreads, nextDueOf, turnOf } from './store/threads.ts';

async function passThread(ctx: Acting, thread: ThreadRow): Promise<void> {
  const turn = await turnOf(ctx, thread);
  const passed = turn && passTime(turn, ctx.now());
  if (passed === undefined) return;
  const after = await writeThread(ctx, thread, {}, passed.turn);
  const event = passed.event === 'warn' ? responseDue : responseOverdue;
  for (const facts of await factsOf(ctx, [after]))
    await ctx.emit(event.of({ ...facts, message: null, report: null, changed_by: 'system' }));
}

/** One job for each seller; it runs at the next deadline of its threads. */
const timer = defineJob({
  kind: TIMER,
  recurring: false,
  handler: async (services, { seller_id }) => {
    const sellerId = seller_id ?? '';
    const next = await services.withSellerLong(sellerId, 'write', async (db) => {
      const ctx = acting(services, { db, seller_id: sellerId });
      for (const thread of await dueThreads(ctx, ctx.at())) await passThread(ctx, thread);
      return nextDueOf(ctx);
    });
    return next === null ? undefined : { againAt: Date.parse(next) };
  },
});

const forget = forgetTextsJob({
  kind: 'messages.forget_texts',
  ended: oldThreads,
  forget: forgetThread,
});

export const messageJobs = [timer, forget];
