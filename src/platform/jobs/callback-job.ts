/**
 * Processes the stored callbacks of one object, one worker at a time: its job has its key (`insertWithJobs`).
 * Source: docs/design/wire.md#callbacks.
 */
import type { AnyJob } from '../../kernel/route.ts';
import type { Services } from '../services.ts';
import { defineJob } from './define-job.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** After these attempts fail, the next one comes this much later; afterwards hourly. */
const RETRIES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 120 * SECOND_MS, 600 * SECOND_MS, HOUR_MS];
/** A callback that could not be applied for this time has failed. */
const GIVEN_UP_MS = 24 * HOUR_MS;

interface CallbackJobDef {
  readonly kind: string;
  /** As of other jobs. */
  readonly asks?: true;
  /**
   * Applies all waiting callbacks of the object, each in one transaction with its decision. Calls to other systems
   * happen outside a transaction. It is safe to repeat.
   *
   * @returns when to be called again, because some cannot be applied yet
   * @throws to be called again later
   */
  readonly work: (
    services: Services,
    key: string,
    signal: AbortSignal,
  ) => Promise<{ readonly againAt: number } | undefined>;
  /**
   * Marks the waiting callbacks of the object that arrived at this instant (RFC 3339) or before as failed.
   *
   * @returns the number of those that still wait
   */
  readonly giveUp: (services: Services, key: string, until: string, cause: Error) => Promise<number>;
}

/** Declares the job of the callbacks of a receiver. */
export const callbackJob = ({ kind, asks, work, giveUp }: CallbackJobDef): AnyJob =>
  defineJob({
    kind,
    recurring: false,
    ...(asks && { asks }),
    backoffMs: (attempts) => RETRIES_MS[attempts - 1] ?? HOUR_MS,
    async handler(services, { unique_key }, signal) {
      const key = unique_key ?? '';
      try {
        return await work(services, key, signal);
      } catch (error) {
        // The worker stops: another one goes on, so nothing has failed.
        if (signal.aborted) throw error;
        const until = new Date(services.now() - GIVEN_UP_MS).toISOString();
        if ((await giveUp(services, key, until, error as Error)) > 0) throw error;
      }
      return undefined;
    },
  });
