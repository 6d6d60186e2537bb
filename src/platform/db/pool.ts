/** Connection pools. One for requests, one for long work (feeds, exports), so that neither starves the other. */
import pg from 'pg';
import type { Logger } from '../../kernel/context.ts';

/** A request that waits longer than this for a connection is answered 503 instead of piling up. */
const ACQUIRE_TIMEOUT_MS = 5_000;

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  readonly name: string;
  readonly log: Logger;
}

/** A pool whose sessions run in UTC; a connection that breaks is logged and replaced. */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    application_name: `spp-${options.name}`,
    options: '-c timezone=UTC -c client_min_messages=warning -c jit=off',
    keepAlive: true,
  });
  pool.on('error', (error) =>
    options.log.warn({ err: error.message, pool: options.name }, 'idle connection lost'),
  );
  // The pool listens to idle connections only. One that is lost while somebody holds it, but asks nothing of it
  // at that instant, would otherwise be an error that nobody listens to, and end the process; its holder
  // learns of it by its next statement.
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      options.log.warn({ err: error.message, pool: options.name }, 'connection lost'),
    );
  });
  return pool;
}
