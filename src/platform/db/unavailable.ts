/** Temporary failures of the database. It may be unknown whether the transaction was committed. A retry may succeed. */

/** SQLSTATE of a write on a standby, or where `default_transaction_read_only` is on. */
const READ_ONLY = '25006';

/** SQLSTATEs of a prepared statement that the session already has, or does not have. */
const LOST_STATEMENT: readonly unknown[] = ['42P05', '26000'];

/** SQLSTATE of a wait for a lock that took too long. */
const LOCK_TIMEOUT = '55P03';

/**
 * SQLSTATEs of conflicts, locks, too many connections, a server that stops or accepts no writes, lost connections, and
 * transactions that were idle or too long.
 */
const SQLSTATES: ReadonlySet<unknown> = new Set([
  READ_ONLY,
  ...LOST_STATEMENT,
  '25P03',
  '25P04',
  '40001',
  '40P01',
  LOCK_TIMEOUT,
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08003',
  '08001',
]);
const CONNECTION_FAULTS: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

/** SQLSTATE of an error of the database, or the system's code of a network error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** SQLSTATE of every error that PgBouncer makes itself, for example while it reaches no server. */
const OF_POOLER = '08P01';

/** Whether an error comes from a pooler. An error of PostgreSQL names the routine that made it. */
const isOfPooler = (error: unknown): boolean =>
  codeOf(error) === OF_POOLER && (error as { readonly routine?: string }).routine === undefined;

/** SQLSTATEs of a deadlock, a serialisation failure and a unique violation: conflicts with another transaction. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505']);

/** Whether the transaction conflicts with another one and may be tried again. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error));

/** Whether another transaction has held a lock for too long. */
export const isLocked = (error: unknown): boolean => codeOf(error) === LOCK_TIMEOUT;

/** Whether the session accepts no writes, so that the pool must open another one. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether a pooler has mixed up the prepared statements of its clients. */
export const isLostStatement = (error: unknown): boolean => LOST_STATEMENT.includes(codeOf(error));

/** Whether the pool must open other sessions. */
export const isOfSession = (error: unknown): boolean => isReadOnly(error) || isLostStatement(error);

export const readOnlyError = (): Error =>
  Object.assign(new Error('the database accepts no writes'), { code: READ_ONLY });

export const isUnavailable = (error: unknown): boolean =>
  SQLSTATES.has(codeOf(error)) ||
  CONNECTION_FAULTS.has(codeOf(error)) ||
  isOfPooler(error) ||
  (error instanceof Error && MESSAGES.test(error.message));
