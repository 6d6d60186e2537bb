/** Connection pools. One for requests, one for long work (feeds, exports), so that neither starves the other. */
import pg from 'pg';
import type { Logger } from '../../kernel/context.ts';

/** A request that waits longer than this for a connection is answered 503 instead of piling up. */
export const ACQUIRE_TIMEOUT_MS = 5_000;

/** Longest a single statement may run; a scope may ask for another bound. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** Longest wait for a row lock before the request gives up with 503 (a feed run may hold rows for seconds). */
export const LOCK_TIMEOUT_MS = 10_000;

/** What every session starts with: what is set here costs no statement later. */
const SESSION = {
  timezone: 'UTC',
  client_min_messages: 'warning',
  jit: 'off',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
} as const;

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  readonly name: string;
  readonly log: Logger;
  /**
   * Plans statements anew each time. Long work writes and reads many rows with each: a plan that a session has
   * kept since the tables were nearly empty takes any index that begins with the seller for as good as the
   * right one, and would read a whole catalogue for each row of a large file.
   */
  readonly planAfresh?: boolean;
}

/** A pool whose sessions run in UTC; a connection that breaks is logged and replaced. */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    // Sessions stay open: a timer for each statement costs more than an idle session.
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
