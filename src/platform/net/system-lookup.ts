/**
 * Looks up names that only the machine knows. A lookup takes one of the few threads that also read files, and may
 * take any time. So only a few lookups run at the same time, and a caller without a place fails.
 */
import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';

type Lookup = (hostname: string, options: { readonly all: true }) => Promise<readonly LookupAddress[]>;

/** Lookups at a time, on Node's four threads. */
const LOOKUPS_MAX = 2;
const WAIT_MS = 2_000;

/**
 * @returns looks up the addresses of a name; simultaneous lookups of one name share the answer. Rejects with
 *   `otherwise` when other lookups keep all threads for two seconds.
 */
export function createSystemLookup(
  lookup: Lookup,
): (hostname: string, otherwise: unknown) => Promise<readonly string[]> {
  const running = new Map<string, Promise<readonly string[]>>();
  const ask = async (hostname: string): Promise<readonly string[]> => {
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      running.delete(hostname);
    }
  };
  return async (hostname, otherwise) => {
    const until = performance.now() + WAIT_MS;
    while (!running.has(hostname) && running.size >= LOOKUPS_MAX) {
      const left = until - performance.now();
      if (left <= 0) throw otherwise;
      const stop = new AbortController();
      const others = Promise.race(running.values()).catch(() => {});
      await Promise.race([others, sleep(left, undefined, { signal: stop.signal }).catch(() => {})]);
      stop.abort();
    }
    // Set before the lookup starts, so that it counts; `ask` removes it.
    const answer = running.get(hostname) ?? Promise.resolve(hostname).then(ask);
    running.set(hostname, answer);
    return answer;
  };
}
