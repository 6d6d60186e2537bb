import { setTimeout as after } from 'node:timers/promises';

/**
 * Asks `probe` every `everyMs` until it answers something other than undefined, at most `limitMs` long.
 * Uses the monotonic clock: this is a timeout, not a time of the business.
 *
 * @returns the probe's answer, or undefined when the limit passed first
 */
export async function pollUntil<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  limits: { everyMs: number; limitMs: number; signal?: AbortSignal | undefined },
): Promise<T | undefined> {
  const deadline = performance.now() + limits.limitMs;
  for (;;) {
    limits.signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (performance.now() >= deadline) return undefined;
    await after(limits.everyMs, undefined, limits.signal ? { signal: limits.signal } : {});
  }
}
