import { setTimeout as rest } from 'node:timers/promises';
import { ApiError, coreErrors } from '../../../../kernel/errors.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { lostDatabase, RunBusy } from './run-end.ts';

/** While the database is away, how often a request asks what has become of its transaction. */
export const ASK_AGAIN_MS = 500;

/** The server is still ending the transaction whose connection was lost, which holds the locks. */
const isHeld = (error: unknown): boolean =>
  error instanceof RunBusy ||
  (error instanceof ApiError && error.code === coreErrors.idempotency_in_progress.code);

/**
 * Repeats a transaction whose connection was lost, because it may have been committed. So the client gets no error for
 * a change that was made.
 *
 * @param attempt begins with the idempotency key, so that it answers for the attempt that was committed
 * @param waitMs the longest wait for the database
 */
export async function untilKnown<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  waitMs: number,
): Promise<T> {
  const until = systemNow() + waitMs;
  for (let lost = false; ; lost = true) {
    try {
      return await attempt();
    } catch (error) {
      const unknown = lostDatabase(error) || (lost && isHeld(error));
      if (!unknown || signal.aborted || systemNow() > until) throw error;
      await rest(ASK_AGAIN_MS);
    }
  }
}
