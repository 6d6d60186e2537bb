/**
 * Limits each seller to a share of a pool's connections. When requests of one seller are slow or wait for a lock,
 * only further requests of that seller wait.
 */
import type pg from 'pg';
import { ACQUIRE_TIMEOUT_MS } from './pool.ts';

/** A connection that a transaction holds. */
export interface Lease {
  readonly client: pg.PoolClient;
  /** @param broken why the connection must not be used again */
  release(broken?: Error): void;
}

/** Takes a connection; rejects with the pool's error when none is free in time. */
export type Connect = () => Promise<Lease>;

export function connectTo(pool: pg.Pool): Connect {
  return async () => {
    const client = await pool.connect();
    return { client, release: (broken) => client.release(broken) };
  };
}

interface Share {
  held: number;
  readonly waiting: (() => void)[];
}

interface SharedOut {
  readonly of: (sellerId: string) => Connect;
  /** Requests that wait for their seller's share. */
  readonly waiting: () => number;
}

const sharesOf = new WeakMap<pg.Pool, SharedOut>();

function sharedOut(pool: pg.Pool): SharedOut {
  let shares = sharesOf.get(pool);
  if (shares === undefined) {
    shares = createShares(pool);
    sharesOf.set(pool, shares);
  }
  return shares;
}

/** Makes a function that takes connections of the pool for a seller, at most half of them at the same time. */
export const fairConnections = (pool: pg.Pool): ((sellerId: string) => Connect) => sharedOut(pool).of;

/** Requests that wait for a connection of the pool, or for their seller's share of them. */
export const waitingFor = (pool: pg.Pool): number => pool.waitingCount + sharedOut(pool).waiting();

const tooLate = (): Error => new Error('timeout exceeded when trying to connect');

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

function createShares(pool: pg.Pool): SharedOut {
  // In a pool of two, a seller may take both, so that it can send requests during a feed run or an export.
  const most = Math.max(2, Math.ceil((pool.options.max ?? 1) / 2));
  const shares = new Map<string, Share>();
  const connect = connectTo(pool);

  function turn(share: Share, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(start), 1);
        reject(tooLate());
      }, deadline - performance.now());
      share.waiting.push(start);
    });
  }

  /** Passes the place to the seller's next waiting request, or gives it back. */
  function leave(sellerId: string, share: Share): void {
    const next = share.waiting.shift();
    if (next === undefined) share.held -= 1;
    else next();
    if (share.held === 0) shares.delete(sellerId);
  }

  /**
   * Waits for a place and then for a connection, with one deadline. Without a wait for a place, the pool's limit
   * holds.
   */
  async function place(share: Share, deadline: number): Promise<Connect> {
    if (share.held < most) {
      share.held += 1;
      return connect;
    }
    await turn(share, deadline);
    return () => connectBy(deadline, connect);
  }

  const of = (sellerId: string) => async (): Promise<Lease> => {
    const share = shares.get(sellerId) ?? { held: 0, waiting: [] };
    shares.set(sellerId, share);
    const take = await place(share, performance.now() + ACQUIRE_TIMEOUT_MS);
    try {
      const { client, release } = await take();
      return {
        client,
        release: (broken) => {
          release(broken);
          leave(sellerId, share);
        },
      };
    } catch (error) {
      leave(sellerId, share);
      throw error;
    }
  };
  const waiting = (): number => [...shares.values()].reduce((sum, share) => sum + share.waiting.length, 0);
  return { of, waiting };
}
