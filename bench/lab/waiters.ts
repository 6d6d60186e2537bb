/** Clients that wait for events: each has a connection of its own and asks again as soon as it is answered. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seller } from './sellers.ts';

const PATHS = ['/webhooks/events?wait=25&after_sequence=', '/notifications?wait=25&after='];
/** Higher than the number of every event that a benchmark makes. */
const BEHIND_ALL = 1_000_000_000;
/** Requests that begin in each step. */
const STEP = 25;
const STEP_MS = 50;

interface Waiters {
  /** How many answers were not 200. */
  readonly failures: number;
  stop(): void;
}

/** Opens a number of long polls, 500 a second, over all sellers in turn. */
export async function startWaiters(url: string, sellers: readonly Seller[], count: number): Promise<Waiters> {
  let failures = 0;
  let stopped = false;
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const ask = (index: number): void => {
    if (stopped) return;
    const path = `${url}/api/v1${PATHS[index % PATHS.length]}${BEHIND_ALL}`;
    const authorization = `Bearer ${sellers[index % sellers.length]?.token}`;
    const request = get(path, { agent, headers: { authorization } }, (response) => {
      if (response.statusCode !== 200) failures += 1;
      response.resume().once('end', () => ask(index));
    });
    request.on('error', (error) => {
      if (!stopped) throw error;
    });
  };
  for (let index = 0; index < count; index += 1) {
    ask(index);
    if (index % STEP === 0) await sleep(STEP_MS);
  }
  return {
    get failures() {
      return failures;
    },
    stop() {
      stopped = true;
      agent.destroy();
    },
  };
}
