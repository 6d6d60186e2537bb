/** Feed runs: one row from the upload to its end. A terminal status never changes: each change names its origin. */
import type { Db } from '../../../kernel/context.ts';
import { BY_INDEX } from '../../../platform/db/by-index.ts';
import {
  boolean,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type {
  FeedMode,
  FeedRun,
  OnError,
  RunCounts,
  RunError,
  RunKind,
  RunSource,
  RunStatus,
} from '../domain/feed-run/run.ts';

export const feedRuns = defineTable('feed_run', ['run_id'], {
  run_id: text,
  kind: textOf<RunKind>(),
  mode: textOf<FeedMode>(),
  on_error: textOf<OnError>(),
  dry_run: boolean,
  async: boolean,
  status: textOf<RunStatus>(),
  counts: json<RunCounts>('json'),
  source: json<RunSource>('json'),
  file_id: nullable(text),
  idempotency_key: nullable(text),
  replay_key: text,
  contract_version: text,
  commits_run_id: nullable(text),
  reverts_run_id: nullable(text),
  error: nullable(json<RunError>('json')),
  detection: nullable(json<unknown>('json')),
  rows_done: integer,
  rows_total: nullable(integer),
  created_by: nullable(text),
  request_id: nullable(text),
  cancel_requested_at: nullable(instant),
  received_at: instant,
  started_at: nullable(instant),
  finished_at: nullable(instant),
});

const UNFINISHED = raw("status in ('received', 'validating', 'applying')");

export async function insertRun(ctx: SellerDb, run: FeedRun): Promise<void> {
  await feedRuns.insert(ctx, run as RowOf<typeof feedRuns.columns>);
}

export async function loadRun(db: Db, runId: string): Promise<FeedRun | undefined> {
  return db.one(statement(feedRuns.columns)`
    select ${feedRuns.list}
      from feed_run
     where run_id = ${runId}`);
}

/** The newest runs first, and one beyond the page. */
export function listRuns(
  ctx: SellerDb,
  { status, kind }: { readonly status?: RunStatus; readonly kind?: RunKind },
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<FeedRun[]> {
  const where = allOf(
    status !== undefined && part`status = ${status}`,
    kind !== undefined && part`kind = ${kind}`,
  );
  return feedRuns.page(ctx, { where, order: ['run_id'], descending: true, after, limit });
}

/** Uploads received since an instant; the quota counts them. Commits and reverts bring no file and are free. */
export async function countRunsSince(db: Db, since: string): Promise<number> {
  const row = await db.one(statement({ runs: integer })`
    select count(*)::int as runs
      from feed_run
     where received_at >= ${since}
       and kind not in ('commit', 'revert')`);
  return row?.runs ?? 0;
}

/**
 * Writes the progress of a run, in another transaction than the run's own.
 *
 * @returns false when the run must stop: it was cancelled, or it has ended
 */
export async function writeProgress(
  db: Db,
  runId: string,
  status: 'validating' | 'applying',
  rowsDone: number,
  startedAt: string,
): Promise<boolean> {
  const row = await db.one(statement({ continues: boolean })`
       update feed_run
          set status = ${status},
              rows_done = ${rowsDone},
              started_at = coalesce(started_at, ${startedAt})
        where run_id = ${runId}
          and ${UNFINISHED}
    returning cancel_requested_at is null as continues`);
  return row?.continues ?? false;
}

export interface RunEnd {
  readonly status: RunStatus;
  readonly counts: RunCounts;
  readonly error: RunError | null;
  readonly finishedAt: string;
  readonly evidenceExpiresAt: string;
}

/** Ends a run; false when it had ended already, or was cancelled before it could succeed. */
export async function endRun(db: Db, runId: string, end: RunEnd): Promise<boolean> {
  const { status, counts, error, finishedAt, evidenceExpiresAt } = end;
  const succeeds = status === 'succeeded' || status === 'succeeded_with_errors';
  const changed = await db.run(command`
    update feed_run
       set status = ${status},
           counts = ${JSON.stringify(counts)},
           error = ${error && JSON.stringify(error)},
           finished_at = ${finishedAt},
           rows_done = ${counts.rows},
           rows_total = ${counts.rows},
           started_at = coalesce(started_at, ${finishedAt}),
           evidence_expires_at = ${evidenceExpiresAt}
     where run_id = ${runId}
       and ${UNFINISHED}
       and ${allOf(succeeds && part`cancel_requested_at is null`)}`);
  return changed === 1;
}

/** Asks a run to stop; false when it has ended. */
export async function requestCancel(db: Db, runId: string, at: string): Promise<boolean> {
  const changed = await db.run(command`
    update feed_run
       set cancel_requested_at = coalesce(cancel_requested_at, ${at})
     where run_id = ${runId}
       and ${UNFINISHED}`);
  return changed === 1;
}

/** A run that commits or reverts the given one and was not refused. */
export async function findFollower(
  db: Db,
  column: 'commits_run_id' | 'reverts_run_id',
  runId: string,
): Promise<string | undefined> {
  const row = await db.one(statement({ run_id: text })`
    select run_id
      from feed_run
     where ${raw(column)} = ${runId}
       and status in ('received', 'validating', 'applying', 'succeeded', 'succeeded_with_errors')
     limit 1`);
  return row?.run_id;
}

/** Takes a run until the transaction ends; false when another process has it. */
export async function tryLockRun(db: Db, runId: string): Promise<boolean> {
  const lock = await db.one(statement({ free: boolean })`
    select pg_try_advisory_xact_lock(hashtextextended(${`feed:${runId}`}, 1)) as free`);
  return lock?.free === true;
}

/** Makes the uploads of a seller take turns until the transaction ends: the runs of a day are counted. */
export async function lockIntake(db: Db, sellerId: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${`intake:${sellerId}`}, 3))`);
}

/** Makes the writing runs of a seller take turns until the transaction ends. */
export async function lockFeeds(db: Db, sellerId: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${`feeds:${sellerId}`}, 2))`);
}

/** Keeps the planner from scans of whole tables until the transaction ends; see {@link BY_INDEX}. */
export async function preferIndexes(db: Db): Promise<void> {
  await db.run(command`select ${raw(BY_INDEX)}`);
}
