/** A receiver that is randomly slow, refuses, hangs or breaks off, and later works. */
import type { ServerResponse } from 'node:http';
import { type Answer, type Received, type Receiver, startReceiver, status } from './receiver.ts';

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The outcome of one request. */
export interface Answered {
  readonly received: Received;
  /** Undefined when no status was sent. */
  readonly status: number | undefined;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

export interface StormReceiver extends Receiver {
  readonly answered: Answered[];
  /** From now on every request is accepted at once. */
  calm(): void;
}

const after = (ms: number, answer: Answer): Answer => {
  return (response, received) => setTimeout(() => answer(response, received), ms);
};
const cut = (response: ServerResponse): unknown => response.destroy();
/** Sends the status and a part of the announced body. */
const half = (response: ServerResponse): unknown => {
  response.writeHead(200, { 'content-length': '100' }).write('a part');
  return setTimeout(() => response.destroy(), 20);
};

/** Faults with their frequency per thousand; all other requests are accepted at once. */
const WEATHER: readonly (readonly [number, number | undefined, (chance: () => number) => Answer])[] = [
  [90, 500, () => status(500)],
  [40, 429, () => status(429, { 'retry-after': '1' })],
  [30, 503, () => status(503, { 'retry-after': '1' })],
  [30, 302, () => status(302, { location: 'http://127.0.0.1:9/' })],
  [50, undefined, () => cut],
  [20, undefined, () => after(2_500, cut)],
  [30, 200, () => half],
  [80, 204, (chance) => after(200 + chance() * 600, status(204))],
  [200, 204, (chance) => after(chance() * 50, status(204))],
];
/** Faults of a receiver that sometimes answers 410. */
const GONE = [3, 410, () => status(410)] as const;

/** Starts one; it ends with the last test of the calling file. */
export async function startStormReceiver(chance: () => number, gone: boolean): Promise<StormReceiver> {
  const answered: Answered[] = [];
  let fair = false;
  const answer: Answer = (response, received) => {
    const at = chance() * 1_000;
    let sum = 0;
    const found = (gone ? [GONE, ...WEATHER] : WEATHER).find(([often]) => {
      sum += often;
      return at < sum;
    });
    const [, code, how] = found === undefined || fair ? [0, 204, () => status(204)] : found;
    // Recorded when the answer goes out: the next event of the object is sent after that.
    const note = () => answered.push({ received, status: code, at: performance.now() });
    const write = response.writeHead.bind(response);
    response.writeHead = ((...given: Parameters<typeof write>) => {
      note();
      return write(...given);
    }) as typeof response.writeHead;
    if (code === undefined) note();
    how(chance)(response, received);
  };
  const receiver = await startReceiver(answer);
  return Object.assign(receiver, {
    answered,
    calm: () => {
      fair = true;
    },
  });
}
