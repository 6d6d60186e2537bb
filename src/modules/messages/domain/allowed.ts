import { type ThreadState, threadMachine } from './machines.ts';

/** The largest number of messages that the seller may send in a row. */
export const IN_ROW_MAX = 3;
const DAY_MS = 86_400_000;

interface Situation {
  readonly state: ThreadState;
  readonly locked: boolean;
  readonly sent_in_row: number;
  readonly closed_at: string | null;
}

/** The end of the time in which a closed thread can be continued, in milliseconds; undefined for an open thread. */
export const windowEnd = (
  { closed_at }: Pick<Situation, 'closed_at'>,
  openDays: number,
): number | undefined => (closed_at === null ? undefined : Date.parse(closed_at) + openDays * DAY_MS);

const ACTIONS = ['reply', 'no_reply_needed', 'close', 'reopen'] as const;
type Action = (typeof ACTIONS)[number];

/** What the seller can do with a thread. */
export function allowedActions(thread: Situation, openDays: number, now: number): Action[] {
  const { state, locked, sent_in_row } = thread;
  const sends = !locked && now <= (windowEnd(thread, openDays) ?? now);
  const also: Partial<Record<Action, boolean>> = { reply: sends && sent_in_row < IN_ROW_MAX, reopen: sends };
  return ACTIONS.filter((action) => threadMachine.allows(action, state) && also[action] !== false);
}
