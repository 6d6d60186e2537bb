/** Temporary failures of the database. It may be unknown whether the transaction was committed. A retry may succeed. */

/**
 * SQLSTATEs of conflicts, locks, too many connections, a server that stops, lost connections, and transactions that
 * were idle or too long.
 */
const SQLSTATES: ReadonlySet<unknown> = new Set([
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '55P03',
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
]);
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

/** SQLSTATE of an error of the database, or the system's code of a network error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** SQLSTATEs of a deadlock, a serialisation failure and a unique violation: conflicts with another transaction. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505']);

/** Whether the transaction conflicts with another one and may be tried again. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error));

export const isUnavailable = (error: unknown): boolean =>
  SQLSTATES.has(codeOf(error)) ||
  CONNECTION_FAULTS.has(codeOf(error)) ||
  (error instanceof Error && MESSAGES.test(error.message));
