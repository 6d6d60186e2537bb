/**
 * Queues long tasks of one process. Each lane runs one task at a time, and all lanes together run a limited number. A
 * waiting task has no resources, in particular no database connection.
 */

/** Work with this id is already running or waiting. */
export class LaneBusy extends Error {
  override readonly name = 'LaneBusy';
}
/** The work could not start before its deadline. */
export class LaneTimeout extends Error {
  override readonly name = 'LaneTimeout';
}

interface LaneWork {
  /** Works of one lane run one after another. */
  readonly lane: string;
  /** A second task with the same id is refused until the first has ended. */
  readonly id: string;
  /** Instant on the system's clock by which the work must start. */
  readonly deadline: number;
}

export interface Lanes {
  /**
   * Runs `work` as soon as its lane and a place are free, first come first served.
   *
   * @throws LaneBusy at once, LaneTimeout at the deadline, and whatever `work` throws
   */
  run<T>(what: LaneWork, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly lane: string;
  readonly start: () => void;
}

/** Lanes of which at most `total` work at the same time. */
export function createLanes(total: number, systemNow: () => number): Lanes {
  const ids = new Set<string>();
  const busy = new Set<string>();
  const queue: Waiting[] = [];

  function next(): void {
    for (let index = 0; index < queue.length && busy.size < total; ) {
      const waiting = queue[index];
      if (waiting === undefined || busy.has(waiting.lane)) {
        index += 1;
        continue;
      }
      queue.splice(index, 1);
      busy.add(waiting.lane);
      waiting.start();
    }
  }

  function waitForTurn({ lane, deadline }: LaneWork): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(new LaneTimeout(`lane ${lane} was not free in time`));
        },
        Math.max(0, deadline - systemNow()),
      );
      const waiting: Waiting = {
        lane,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.push(waiting);
      next();
    });
  }

  return {
    async run(what, work) {
      if (ids.has(what.id)) throw new LaneBusy(`${what.id} is already running or waiting`);
      ids.add(what.id);
      try {
        await waitForTurn(what);
        try {
          return await work();
        } finally {
          busy.delete(what.lane);
          next();
        }
      } finally {
        ids.delete(what.id);
      }
    },
  };
}
