/** Feed runs: one row from the upload to its end. Terminal states never change; every move names where it comes from. */

import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { FeedRun, RunCounts, RunError, RunStatus } from '../domain/feed-run/run.ts';

const COLUMNS = [
  'run_id',
  'kind',
  'mode',
  'on_error',
  'dry_run',
  'async',
  'status',
  'counts',
  'source',
  'file_id',
  'idempotency_key',
  'replay_key',
  'contract_version',
  'commits_run_id',
  'reverts_run_id',
  'error',
  'detection',
  'rows_done',
  'rows_total',
  'created_by',
  'request_id',
  'cancel_requested_at',
  'received_at',
  'started_at',
  'finished_at',
] as const satisfies readonly (keyof FeedRun)[];

/** Select list of a run. */
export const FEED_RUN_COLUMNS = COLUMNS.join(', ');
const JSON_COLUMNS = new Set<string>(['counts', 'source', 'error', 'detection']);

const INSERT = `insert into feed_run (seller_id, ${FEED_RUN_COLUMNS}) values ($1, ${COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})`;

export async function insertRun(db: Db, sellerId: string, run: FeedRun): Promise<void> {
  const values = COLUMNS.map((name) =>
    JSON_COLUMNS.has(name) && run[name] !== null ? JSON.stringify(run[name]) : run[name],
  );
  await db.run(sql(INSERT, [sellerId, ...values]));
}

export async function loadRun(db: Db, runId: string): Promise<FeedRun | undefined> {
  return db.one<FeedRun>(sql(`select ${FEED_RUN_COLUMNS} from feed_run where run_id = $1`, [runId]));
}

/** The newest runs first; `before` is the run that the last page ended with. */
export async function listRuns(
  db: Db,
  filter: {
    readonly status?: string;
    readonly kind?: string;
    readonly before?: string;
    readonly limit: number;
  },
): Promise<FeedRun[]> {
  return db.all<FeedRun>(
    sql(
      `select ${FEED_RUN_COLUMNS} from feed_run where ($1::text is null or status = $1) and ($2::text is null or kind = $2) ` +
        'and ($3::text is null or run_id < $3) order by run_id desc limit $4',
      [filter.status ?? null, filter.kind ?? null, filter.before ?? null, filter.limit],
    ),
  );
}

/** Uploads received since an instant; a quota counts them. Commits and reverts bring no file and are free. */
export async function countRunsSince(db: Db, since: string): Promise<number> {
  const row = await db.one<{ runs: number }>(
    sql(
      "select count(*)::int as runs from feed_run where received_at >= $1 and kind not in ('commit', 'revert')",
      [since],
    ),
  );
  return row?.runs ?? 0;
}

/**
 * Tells how far a run is; written beside the run's own transaction.
 *
 * @returns false when the run is to stop: somebody asked for it, or has ended it
 */
export async function writeProgress(
  db: Db,
  runId: string,
  status: 'validating' | 'applying',
  rowsDone: number,
  startedAt: string,
): Promise<boolean> {
  const row = await db.one<{ goes_on: boolean }>(
    sql(
      'update feed_run set status = $2, rows_done = $3, started_at = coalesce(started_at, $4) ' +
        "where run_id = $1 and status in ('received', 'validating', 'applying') returning cancel_requested_at is null as goes_on",
      [runId, status, rowsDone, startedAt],
    ),
  );
  return row?.goes_on ?? false;
}

export interface RunEnd {
  readonly status: RunStatus;
  readonly counts: RunCounts;
  readonly error: RunError | null;
  readonly finishedAt: string;
  readonly evidenceExpiresAt: string;
}

/** Ends a run; false when it had ended already, or was asked to stop before it could succeed. */
export async function endRun(db: Db, runId: string, end: RunEnd): Promise<boolean> {
  const changed = await db.run(
    sql(
      'update feed_run set status = $2, counts = $3, error = $4, finished_at = $5, rows_done = $6, rows_total = $6, ' +
        'started_at = coalesce(started_at, $5), evidence_expires_at = $7 ' +
        "where run_id = $1 and status in ('received', 'validating', 'applying') " +
        "and (cancel_requested_at is null or $2 not in ('succeeded', 'succeeded_with_errors'))",
      [
        runId,
        end.status,
        JSON.stringify(end.counts),
        end.error && JSON.stringify(end.error),
        end.finishedAt,
        end.counts.rows,
        end.evidenceExpiresAt,
      ],
    ),
  );
  return changed === 1;
}

/** Asks a run that has not ended to stop; false when it has ended. */
export async function requestCancel(db: Db, runId: string, at: string): Promise<boolean> {
  const changed = await db.run(
    sql(
      "update feed_run set cancel_requested_at = coalesce(cancel_requested_at, $2) where run_id = $1 and status in ('received', 'validating', 'applying')",
      [runId, at],
    ),
  );
  return changed === 1;
}

/** A run that commits or reverts the given one and was not itself refused. */
export async function findFollower(
  db: Db,
  column: 'commits_run_id' | 'reverts_run_id',
  runId: string,
): Promise<string | undefined> {
  const row = await db.one<{ run_id: string }>(
    sql(
      `select run_id from feed_run where ${column} = $1 and status in ('received', 'validating', 'applying', 'succeeded', 'succeeded_with_errors') limit 1`,
      [runId],
    ),
  );
  return row?.run_id;
}
