/**
 * Tells the seller about issues: the first of a kind at once, and those that open within the next hour together, with
 * their number. A store with a thousand unknown items is one message. Source: docs/design/channels.md#issues.
 */
import type { Acting } from '../../../kernel/context.ts';
import { channelEvents } from '../events.ts';
import { issueView } from '../schemas/issue.ts';
import { type IssueRow, newestOpen, notices } from '../store/issues.ts';

export const ANNOUNCE_JOB = 'channels.announce_issues';
const EVERY_MS = 3_600_000;

type Kind = Pick<IssueRow, 'channel_id' | 'kind'>;

const tell = (ctx: Acting, issue: IssueRow, count: number): Promise<void> =>
  ctx.emit(channelEvents.issueOpened.of({ ...issueView(issue), count }));

/** Tells of an issue that has just opened, or plans it. */
export async function announce(ctx: Acting, issue: IssueRow): Promise<void> {
  const { channel_id, kind } = issue;
  const now = { channel_id, kind, told_at: ctx.at(), waiting: 0 };
  const before = await notices.find(ctx, now, 'for update');
  if (before === undefined) {
    // Another transaction may have told of the first one at the same time.
    if (await notices.insert(ctx, now)) await tell(ctx, issue, 1);
    else await announce(ctx, issue);
    return;
  }
  const waiting = before.waiting + 1;
  const dueAt = Date.parse(before.told_at) + EVERY_MS;
  if (dueAt <= ctx.now()) {
    await notices.replace(ctx, now);
    await tell(ctx, issue, waiting);
    return;
  }
  await notices.replace(ctx, { ...before, waiting });
  const uniqueKey = `${channel_id} ${kind}`;
  await ctx.jobs.add({ kind: ANNOUNCE_JOB, payload: { channel_id, kind }, uniqueKey, dueAt });
}

/** Tells of the issues that opened since the last message, if one of them is still open. */
export async function announceWaiting(ctx: Acting, { channel_id, kind }: Kind): Promise<void> {
  const before = await notices.find(ctx, { channel_id, kind }, 'for update');
  if (before === undefined || before.waiting === 0) return;
  await notices.replace(ctx, { ...before, told_at: ctx.at(), waiting: 0 });
  const issue = await newestOpen(ctx, { channel_id, kind });
  if (issue !== undefined) await tell(ctx, issue, before.waiting);
}
