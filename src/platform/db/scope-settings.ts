/**
 * The settings of a transaction. A session that belongs to one connection alone has most of them from its beginning. A
 * pooler in transaction mode gives each transaction another session, so each transaction sets all of them
 * (docs/operations.md#pgbouncer, docs/adr/0025-a-transaction-sets-what-it-needs.md).
 */
import type pg from 'pg';
import type { Statement } from '../../kernel/context.ts';
import { checksRowShapes } from './batch.ts';
import { LOOK_UP } from './by-index.ts';
import { command, raw } from './statement.ts';

/** `single`: each statement is a transaction of its own, as in `read`, but it may write. */
export type TxMode = 'read' | 'single' | 'snapshot' | 'write';

/** The longest time of a statement. A scope may have another limit. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** The longest wait for a row lock. Then the answer is 503. A feed run may lock rows for seconds. */
const LOCK_TIMEOUT_MS = 10_000;

/** Whether the commits of the mode may wait for a standby. */
export const mayWrite = (mode: TxMode): boolean => mode === 'write' || mode === 'single';

/** The limits of a scope, if the usual ones do not fit. */
export interface ScopeOptions {
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /**
   * The statements find rows by their keys: sequential scans are forbidden for any statistics, and long work keeps its
   * plans.
   */
  readonly lookUp?: boolean;
  /** The commit does not wait for the disk. The caller answers only after `WAIT_FOR_DISK` (scope.ts), or may repeat it. */
  readonly lazyCommit?: boolean;
  /** Reads and writes unlogged tables only, whose commits do not wait for a standby. */
  readonly unlogged?: boolean;
}

const SETTINGS = {
  timezone: 'UTC',
  jit: 'off',
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
};
const SETTINGS_OF_TRANSACTION = raw(
  Object.entries(SETTINGS)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', '),
);

/**
 * Gives the session its settings, and the role with which a seller sees nothing before a scope names it. A pooler
 * invents the number of the process that it tells its client, so behind one the statement returns no row.
 */
const OWN_SESSION = {
  text: `select set_config(name, value, false)
           from jsonb_each_text($1::jsonb) as setting (name, value)
          where pg_backend_pid() = $2`,
  settings: JSON.stringify({ role: 'spp_app', ...SETTINGS }),
};
const ownSessions = new WeakSet<pg.ClientBase>();

/** Prepares a new connection of a pool. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  const { rowCount } = await client.query(OWN_SESSION.text, [OWN_SESSION.settings, processID]);
  if ((rowCount ?? 0) > 0) ownSessions.add(client);
}

/** The statement that opens a scope: one for a session with its settings, one for any session. */
interface Opening {
  readonly own: string;
  readonly any: string;
}
const SELLER_SCOPE: Opening = {
  own: command`select set_config('app.seller_id', ${''}, true)`.text,
  any: command`
    select set_config('role', 'spp_app', true), set_config('app.seller_id', ${''}, true), ${SETTINGS_OF_TRANSACTION}`
    .text,
};
const SYSTEM_SCOPE: Opening = {
  own: `select set_config('role', 'spp_system', true)`,
  any: command`select set_config('role', 'spp_system', true), ${SETTINGS_OF_TRANSACTION}`.text,
};

/** Opens the scope of one seller, or of the system if no seller is given. */
export function scopeOn(client: pg.ClientBase, sellerId: string | undefined): Statement<never> {
  const opening = sellerId === undefined ? SYSTEM_SCOPE : SELLER_SCOPE;
  const text = ownSessions.has(client) ? opening.own : opening.any;
  return { text, values: sellerId === undefined ? [] : [sellerId] };
}

const PLAN_AFRESH = command`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
const REFUSE_WRITES = command`select set_config('transaction_read_only', 'on', true)`;
const LAZY_COMMIT = command`select set_config('synchronous_commit', 'off', true)`;

/** The statements that set what the scope has of its own. Most scopes need none. */
export function ownSettings(
  longWork: boolean,
  mode: TxMode,
  { statementTimeoutMs, lockTimeoutMs, lookUp, lazyCommit, unlogged }: ScopeOptions,
): Statement<unknown>[] {
  const own: Statement<unknown>[] = [];
  if (statementTimeoutMs !== undefined || lockTimeoutMs !== undefined)
    own.push(command`
      select set_config('statement_timeout', ${String(statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)}, true),
             set_config('lock_timeout', ${String(lockTimeoutMs ?? LOCK_TIMEOUT_MS)}, true)`);
  if (longWork && lookUp !== true) own.push(PLAN_AFRESH);
  // Reads have connections that writes cannot take, so outside production a write that calls itself a read fails.
  if (mode === 'read' && unlogged !== true && checksRowShapes()) own.push(REFUSE_WRITES);
  if (lookUp === true) own.push(LOOK_UP);
  if (lazyCommit === true) own.push(LAZY_COMMIT);
  return own;
}
