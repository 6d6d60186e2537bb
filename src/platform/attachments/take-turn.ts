/** The turns of files: what a file costs is limited in a process, and one seller's files never fill all places. */
import { type ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import { systemNow } from '../db/clock.ts';
import { createLanes, LaneTimeout } from '../jobs/lanes.ts';

/** The longest time that a request waits for its turn. */
const WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = '5';

/** The machine is too busy for a file. */
export const tooBusy = (cause?: unknown): ApiError =>
  fail(coreErrors.unavailable, { headers: { 'retry-after': RETRY_AFTER_SECONDS }, cause });

type TakeTurn = <T>(sellerId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Turns of which at most `atOnce` run at the same time, one of each seller. A turn throws ApiError 503 `unavailable` if
 * it does not come in time.
 */
export function createTurns(atOnce: number, waitMs = WAIT_MS): TakeTurn {
  const lanes = createLanes(atOnce, systemNow);
  let serial = 0;
  return async (sellerId, work) => {
    serial += 1;
    try {
      return await lanes.run({ lane: sellerId, id: String(serial), deadline: systemNow() + waitMs }, work);
    } catch (error) {
      if (!(error instanceof LaneTimeout)) throw error;
      throw tooBusy(error);
    }
  };
}
