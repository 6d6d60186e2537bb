/**
 * Shares out a pool's connections. Each seller gets a part, so that slow requests of one seller only hold up that seller.
 * Writes get a part, so that commits which wait for a standby do not hold up reads.
 */
import type pg from 'pg';
import { onceFor } from '../../kernel/once-for.ts';
import { ACQUIRE_TIMEOUT_MS, type SessionPool } from './pool.ts';

/** A connection that a transaction holds. */
export interface Lease {
  readonly client: pg.PoolClient;
  /** @param broken why the connection must not be used again */
  release(broken?: Error): void;
}

/** Takes a connection; rejects with the pool's error when none is free in time. */
export type Connect = () => Promise<Lease>;

interface Connections {
  /** @param writes whether the transactions may write, so that their commits may wait */
  readonly ofSeller: (sellerId: string, writes: boolean) => Connect;
  readonly ofSystem: (writes: boolean) => Connect;
  /** Requests that wait for a place of writes or of their seller. */
  readonly waiting: () => number;
}

const tooLate = (): Error => new Error('timeout exceeded when trying to connect');

/** After this time without a place that became free, further requests are refused at once. */
const STALLED_MS = 1_000;

/** Lets so many through at the same time; the others wait in the order of their arrival. */
class Gate {
  held = 0;
  private readonly most: number;
  private readonly refusesStalled: boolean;
  private readonly queue: (() => void)[] = [];
  /** When a place became free, or the first request began to wait. */
  private movedAt = 0;

  /**
   * @param refusesStalled does not let further requests wait while none gets through; otherwise they would fill the
   *   process, and it would refuse reads too
   */
  constructor(most: number, refusesStalled = false) {
    this.most = most;
    this.refusesStalled = refusesStalled;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** @returns undefined if there is a place now */
  enter(deadline: number): Promise<void> | undefined {
    if (this.held < this.most) {
      this.held += 1;
      return undefined;
    }
    if (this.queue.length === 0) this.movedAt = performance.now();
    else if (this.refusesStalled && performance.now() - this.movedAt > STALLED_MS)
      return Promise.reject(tooLate());
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(start), 1);
        reject(tooLate());
      }, deadline - performance.now());
      this.queue.push(start);
    });
  }

  /** Passes the place to the next that waits, or gives it back. */
  leave(): void {
    this.movedAt = performance.now();
    const next = this.queue.shift();
    if (next === undefined) this.held -= 1;
    else next();
  }
}

/** Waits for a connection until the deadline. A connection that is free later goes back to the pool. */
async function connectBy(deadline: number, connect: Connect): Promise<Lease> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(tooLate()), deadline - performance.now());
  const coming = connect();
  try {
    return await Promise.race([coming, over.promise]);
  } catch (error) {
    coming.then(({ release }) => release()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Enters the gates and takes a connection, with one deadline. Without a wait at a gate, the pool's limit holds.
 *
 * @param left called when the places are free again
 */
async function connectThrough(gates: readonly Gate[], connect: Connect, left?: () => void): Promise<Lease> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  let entered = 0;
  let waited = false;
  const leave = (): void => {
    while (entered > 0) gates[--entered]?.leave();
    left?.();
  };
  try {
    for (const gate of gates) {
      const turn = gate.enter(deadline);
      waited ||= turn !== undefined;
      if (turn !== undefined) await turn;
      entered += 1;
    }
    const { client, release } = await (waited ? connectBy(deadline, connect) : connect());
    return {
      client,
      release: (broken) => {
        release(broken);
        leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Of so many connections, those that writes may hold. Three or fewer are too few to share. */
export const forWrites = (connections: number): number => connections - Math.floor(connections / 4);

interface Share {
  readonly all: Gate;
  readonly writes: Gate;
}

function shareOut(pool: SessionPool): Connections {
  const most = pool.options.max ?? 1;
  // In a pool of two, a seller may take both, so that it can send requests during a feed run or an export.
  const mostOfSeller = Math.max(2, Math.ceil(most / 2));
  const writes = new Gate(forWrites(most), !pool.longWork);
  const shares = new Map<string, Share>();
  const connect: Connect = async () => {
    const client = await pool.take();
    return { client, release: (broken) => pool.giveBack(client, broken) };
  };

  function ofSeller(sellerId: string, mayWrite: boolean): Promise<Lease> {
    const share = shares.get(sellerId) ?? {
      all: new Gate(mostOfSeller),
      writes: new Gate(forWrites(mostOfSeller)),
    };
    shares.set(sellerId, share);
    // In this order a write that waits takes neither a place of the seller's reads nor one of another seller.
    const gates = mayWrite ? [share.writes, share.all, writes] : [share.all];
    return connectThrough(gates, connect, () => {
      if (share.all.held + share.writes.held === 0) shares.delete(sellerId);
    });
  }

  return {
    ofSeller: (sellerId, mayWrite) => () => ofSeller(sellerId, mayWrite),
    ofSystem: (mayWrite) => () => (mayWrite ? connectThrough([writes], connect) : connect()),
    waiting: () =>
      [...shares.values()].reduce((sum, share) => sum + share.all.waiting + share.writes.waiting, 0) +
      writes.waiting,
  };
}

/** The connections of a pool, shared out. At most half of them belong to one seller, three quarters to writes. */
export const connectionsOf = onceFor<SessionPool, Connections>(shareOut);

/** Requests that wait for a connection of the pool, or for a share of them. */
export const waitingFor = (pool: SessionPool): number => pool.waitingCount + connectionsOf(pool).waiting();
