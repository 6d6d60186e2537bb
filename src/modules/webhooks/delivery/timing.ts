import { setTimeout as wait } from 'node:timers/promises';
import { systemNow } from '../../../platform/db/clock.ts';

/** The system's time, for leases and pauses. The model test replaces it. */
export interface Timing {
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  wait(ms: number): Promise<void>;
}

export const systemTiming: Timing = {
  now: systemNow,
  elapsed: () => performance.now(),
  wait: (ms) => wait(ms),
};
