/**
 * The settings of a transaction. They are not those of the session, because a pooler in transaction mode gives each
 * transaction another session (docs/operations.md#pgbouncer).
 */
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
  /** Forbids sequential scans for any statistics. */
  readonly lookUp?: boolean;
  /** The commit does not wait for the disk. The caller answers only after `WAIT_FOR_DISK` (scope.ts). */
  readonly lazyCommit?: boolean;
  /** Reads and writes unlogged tables only, whose commits do not wait for a standby. */
  readonly unlogged?: boolean;
}

const SETTINGS = raw(
  Object.entries({
    timezone: 'UTC',
    jit: 'off',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  })
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', '),
);
const SELLER_SCOPE = command`
  select set_config('role', 'spp_app', true), set_config('app.seller_id', ${''}, true), ${SETTINGS}`;
export const sellerScopeOf = (sellerId: string): Statement<never> => ({
  text: SELLER_SCOPE.text,
  values: [sellerId],
});
export const SYSTEM_SCOPE = command`select set_config('role', 'spp_system', true), ${SETTINGS}`;
const PLAN_AFRESH = command`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
const REFUSE_WRITES = command`select set_config('transaction_read_only', 'on', true)`;
const LAZY_COMMIT = command`select set_config('synchronous_commit', 'off', true)`;

/** The statements that set what the scope has of its own. Most scopes need none. */
export function ownSettings(
  longWork: boolean,
  mode: TxMode,
  { statementTimeoutMs, lockTimeoutMs, lookUp, lazyCommit, unlogged }: ScopeOptions,
): Statement<unknown>[] {
  const own = statementTimeoutMs !== undefined || lockTimeoutMs !== undefined;
  const times = command`
    select set_config('statement_timeout', ${String(statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)}, true),
           set_config('lock_timeout', ${String(lockTimeoutMs ?? LOCK_TIMEOUT_MS)}, true)`;
  // Reads have connections that writes cannot take, so outside production a write that calls itself a read fails.
  const checked = mode === 'read' && unlogged !== true && checksRowShapes();
  return [
    ...(own ? [times] : []),
    ...(longWork ? [PLAN_AFRESH] : []),
    ...(checked ? [REFUSE_WRITES] : []),
    ...(lookUp === true ? [LOOK_UP] : []),
    ...(lazyCommit === true ? [LAZY_COMMIT] : []),
  ];
}
