/** Connection pools: one for requests and one for long work (feeds, exports), so that neither blocks the other. */
import pg from 'pg';
import type { Logger } from '../../kernel/context.ts';

/** A request that waits longer than this for a connection is answered 503 instead of piling up. */
export const ACQUIRE_TIMEOUT_MS = 5_000;

/** The longest time of a statement. A scope may have another limit. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** The longest wait for a row lock. Then the answer is 503. A feed run may lock rows for seconds. */
export const LOCK_TIMEOUT_MS = 10_000;

/** The settings of a session. They are sent at its start, so that they need no statement. */
const SESSION = {
  timezone: 'UTC',
  client_min_messages: 'warning',
  jit: 'off',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
} as const;

interface PoolOptions {
  readonly url: string;
  readonly max: number;
  readonly name: string;
  readonly log: Logger;
  /**
   * Plans each execution anew. A plan that was cached while the tables were nearly empty may use any index that begins
   * with the seller, and would then read a whole catalogue for each row of a large file.
   */
  readonly planAfresh?: boolean;
}

/** A pool whose sessions run in UTC; a connection that breaks is logged and replaced. */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    // Idle sessions stay open: the timer that closes them would run for every statement.
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: 3_600,
    application_name: `spp-${options.name}`,
    options: Object.entries({
      ...SESSION,
      ...(options.planAfresh === true ? { plan_cache_mode: 'force_custom_plan' } : {}),
    })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    keepAlive: true,
  });
  pool.on('error', (error) =>
    options.log.warn({ err: error.message, pool: options.name }, 'idle connection lost'),
  );
  // The pool handles errors of idle connections only. The error of a connection that is held but not in use would
  // be unhandled and end the process. The holder gets it with its next statement.
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      options.log.warn({ err: error.message, pool: options.name }, 'connection lost'),
    );
  });
  return pool;
}
