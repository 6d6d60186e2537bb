/**
 * Names that only the machine knows. It is asked on one of the few threads that files are read on too, for as long as
 * it likes; so few are asked at once, and a caller without a place fails.
 */
import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';

type Lookup = (hostname: string, options: { readonly all: true }) => Promise<readonly LookupAddress[]>;

/** Of Node's four threads. */
const AT_ONCE = 2;
const WAIT_MS = 2_000;

/**
 * @returns asks for the addresses of a name; a name that is being asked for is not asked for again. Rejects with
 *   `otherwise` where others keep all places for two seconds.
 */
export function createSystemLookup(
  lookup: Lookup,
): (hostname: string, otherwise: unknown) => Promise<readonly string[]> {
  const asked = new Map<string, Promise<readonly string[]>>();
  const ask = async (hostname: string): Promise<readonly string[]> => {
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      asked.delete(hostname);
    }
  };
  return async (hostname, otherwise) => {
    const until = performance.now() + WAIT_MS;
    while (!asked.has(hostname) && asked.size >= AT_ONCE) {
      const left = until - performance.now();
      if (left <= 0) throw otherwise;
      const stop = new AbortController();
      const others = Promise.race(asked.values()).catch(() => {});
      await Promise.race([others, sleep(left, undefined, { signal: stop.signal }).catch(() => {})]);
      stop.abort();
    }
    // Asked for once it has its place, which it leaves itself.
    const answer = asked.get(hostname) ?? Promise.resolve(hostname).then(ask);
    asked.set(hostname, answer);
    return answer;
  };
}
