/**
 * Turns for long work within one process: one at a time in each lane, so many in all lanes together. Whoever
 * waits holds nothing, least of all a connection that others need.
 */

/** Work with this id runs or waits already. */
export class LaneBusy extends Error {
  override readonly name = 'LaneBusy';
}
/** The turn did not come before the deadline. */
export class LaneTimeout extends Error {
  override readonly name = 'LaneTimeout';
}

export interface LaneWork {
  /** Work of one lane never runs side by side. */
  readonly lane: string;
  /** The same work is never taken twice. */
  readonly id: string;
  /** Instant on the system's clock until which the turn must have come. */
  readonly deadline: number;
}

export interface Lanes {
  /**
   * Runs `work` when its turn has come, first come first served.
   *
   * @throws LaneBusy at once, LaneTimeout at the deadline, and whatever `work` throws
   */
  run<T>(what: LaneWork, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly lane: string;
  readonly start: () => void;
}

/** Lanes of which at most `total` are in work at once. */
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

  function turn({ lane, deadline }: LaneWork): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(new LaneTimeout(`no turn in time for ${lane}`));
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
      if (ids.has(what.id)) throw new LaneBusy(`${what.id} is in work`);
      ids.add(what.id);
      try {
        await turn(what);
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
