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

/** @returns how each seller takes a connection of the pool: at most half of them at once, for whatever it does */
export const fairConnections = (pool: pg.Pool): ((sellerId: string) => Connect) => sharedOut(pool).of;

/** Requests that wait for a connection of the pool, or for their seller's share of them. */
export const waitingFor = (pool: pg.Pool): number => pool.waitingCount + sharedOut(pool).waiting();

const tooLate = (): Error => new Error('timeout exceeded when trying to connect');

/** A connection until the deadline; one that comes later is given back. */
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
  // Of the smallest pools both: beside what takes long, a feed run or an export, the next thing can begin.
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

  /** Its place goes to the next who waits, or back. */
  function leave(sellerId: string, share: Share): void {
    const next = share.waiting.shift();
    if (next === undefined) share.held -= 1;
    else next();
    if (share.held === 0) shares.delete(sellerId);
  }

  /** One deadline for the share and the connection; who waits for no share has the pool's own. */
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
