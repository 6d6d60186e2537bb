import type { Acting } from '../../../kernel/context.ts';

/** Plans a job of a channel, one however often it is asked for. */
export const planJob = (ctx: Acting, kind: string, channel_id: string, dueAt = ctx.now()): Promise<void> =>
  ctx.jobs.add({ kind, payload: { channel_id }, uniqueKey: channel_id, dueAt });
