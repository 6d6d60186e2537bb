/**
 * Lets callers that come at the same time share one transaction. The first one does not wait, unless it is told to:
 * those that come during a round are done together in the next.
 */
import { onceFor } from '../../kernel/once-for.ts';

/** While one round waits for the disk, the next one is computed. */
const ROUNDS = 2;
const MOST = 64;

interface GatherOptions {
  /** Milliseconds in which others may join a round, unless it is half full before: for work whose end may be late. */
  readonly collectMs?: number;
  /** So many share a round at most. */
  readonly most?: number;
}

interface Waiting<Given, Out> {
  readonly given: Given;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/** What one service of the process gathers. */
interface Line<Given, Out> {
  readonly waiting: Waiting<Given, Out>[];
  running: number;
  /** Until those that were collected begin. */
  timer?: NodeJS.Timeout | undefined;
}

/**
 * @param work does it for several callers, all or none, and returns what each of them gets. If a round fails, it is
 *   called again for each caller `alone`, beside the rounds: so one caller can neither fail nor hold up the others
 * @returns the same for one caller
 */
export function gather<Services extends object, Given, Out>(
  work: (services: Services, all: readonly Given[], alone: boolean) => Promise<readonly Out[]>,
  { collectMs, most = MOST }: GatherOptions = {},
): (services: Services, given: Given) => Promise<Out> {
  const lineOf = onceFor((_: Services): Line<Given, Out> => ({ waiting: [], running: 0 }));

  async function tryAlone(
    services: Services,
    { given, resolve, reject }: Waiting<Given, Out>,
  ): Promise<void> {
    try {
      const [out] = await work(services, [given], true);
      resolve(out as Out);
    } catch (error) {
      reject(error);
    }
  }

  async function round(services: Services, all: readonly Waiting<Given, Out>[]): Promise<void> {
    try {
      const outs = await work(
        services,
        all.map(({ given }) => given),
        false,
      );
      for (const [index, { resolve }] of all.entries()) resolve(outs[index] as Out);
    } catch {
      for (const one of all) void tryAlone(services, one);
    }
  }

  async function next(services: Services, line: Line<Given, Out>): Promise<void> {
    if (line.running === ROUNDS || line.waiting.length === 0) return;
    line.running += 1;
    await round(services, line.waiting.splice(0, most));
    line.running -= 1;
    await soon(services, line);
  }

  async function soon(services: Services, line: Line<Given, Out>): Promise<void> {
    if (collectMs === undefined || line.waiting.length >= most / 2) return next(services, line);
    line.timer ??= setTimeout(() => {
      line.timer = undefined;
      void next(services, line);
    }, collectMs);
  }

  return (services, given) =>
    new Promise((resolve, reject) => {
      const line = lineOf(services);
      line.waiting.push({ given, resolve, reject });
      // Those that call in the same turn of the process share the round.
      queueMicrotask(() => soon(services, line));
    });
}
