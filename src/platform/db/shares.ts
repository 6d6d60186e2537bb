/**
 * Connections of a pool, shared out so that no seller holds more than a part of them: requests of one that wait for
 * a lock, or are slow, keep that seller's other requests waiting, and nobody else's.
 */
import type pg from 'pg';
import { ACQUIRE_TIMEOUT_MS } from './pool.ts';

/** A connection in hand. */
export interface Lease {
  readonly client: pg.PoolClient;
  /** @param broken the connection is not to be used again */
  release(broken?: Error): void;
}

/** Takes a connection; rejects with what the pool says when none comes free in time. */
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

type SharedOut = (sellerId: string) => Connect;

const sharesOf = new WeakMap<pg.Pool, SharedOut>();

/** @returns how each seller takes a connection of the pool: at most half of them at once, for whatever it does */
export function sharesIn(pool: pg.Pool): SharedOut {
  let shares = sharesOf.get(pool);
  if (shares === undefined) {
    shares = createShares(pool);
    sharesOf.set(pool, shares);
  }
  return shares;
}

function createShares(pool: pg.Pool): SharedOut {
  // Of the smallest pools both: beside what takes long, a feed run or an export, the next thing can begin.
  const most = Math.max(2, Math.ceil((pool.options.max ?? 1) / 2));
  const shares = new Map<string, Share>();
  const connect = connectTo(pool);

  function turn(share: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(start), 1);
        reject(new Error('timeout exceeded when trying to connect'));
      }, ACQUIRE_TIMEOUT_MS);
      share.waiting.push(start);
    });
  }

  /** Its place goes to the next who waits, or back. */
  function leave(sellerId: string, share: Share): void {
    const next = share.waiting.shift();
    if (next === undefined) share.held -= 1;
    else next();
    if (share.held === 0) shares.delete(sellerId);
  }

  return (sellerId) => async () => {
    let share = shares.get(sellerId);
    if (share === undefined) {
      share = { held: 0, waiting: [] };
      shares.set(sellerId, share);
    }
    const own = share;
    if (own.held < most) own.held += 1;
    else await turn(own);
    try {
      const { client, release } = await connect();
      return {
        client,
        release: (broken) => {
          release(broken);
          leave(sellerId, own);
        },
      };
    } catch (error) {
      leave(sellerId, own);
      throw error;
    }
  };
}
