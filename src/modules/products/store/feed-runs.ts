/** Feed runs: one row from the upload to the end. Every update requires an unfinished run, so a final status stays. */
import type { Db } from '../../../kernel/context.ts';
import { isoOf } from '../../../kernel/instant.ts';
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
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
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
/** Whether a revert counts as the one of its run: it has skipped no row, or has changed a product. */
export const RESTORED = (run: 'feed_run' | 'v') =>
  raw(
    `((${run}.counts ->> 'not_attempted')::int = 0 ` +
      `or (${run}.counts ->> 'updated')::int + (${run}.counts ->> 'deactivated')::int > 0)`,
  );
const UNFILLED = raw("status = 'received' and file_id is null");

export async function insertRun(ctx: SellerDb, run: FeedRun): Promise<void> {
  await feedRuns.insert(ctx, run as RowOf<typeof feedRuns.columns>);
}

export function loadRun(at: SellerDb, run_id: string): Promise<FeedRun | undefined> {
  return feedRuns.find(at, { run_id });
}

/** Lets the worker execute a run that its request has stored. */
export const markAccepted = (at: SellerDb, runId: string): Promise<number> =>
  feedRuns.change(at, part`async = true`, part`run_id = ${runId} and ${UNFINISHED}`);

/** Lists runs, newest first, with one row beyond the page. */
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

/**
 * Counts the runs since an instant that use the quota: those that have applied products. The view leaves out stock, dry
 * runs and reverts.
 */
export async function countRunsSince({ db, seller_id }: SellerDb, since: string): Promise<number> {
  const row = await db.one(statement({ runs: integer })`
    select count(*)::int as runs
      from v_products_feed_runs
     where seller_id = ${seller_id}
       and received_at >= ${since}
       and uses_quota`);
  return row?.runs ?? 0;
}

/**
 * Writes the progress of a run, in a transaction that is not the run's.
 *
 * @returns false when the run was cancelled or has ended
 */
export async function writeProgress(
  { db, seller_id }: SellerDb,
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
        where seller_id = ${seller_id}
          and run_id = ${runId}
          and ${UNFINISHED}
    returning cancel_requested_at is null as continues`);
  return row?.continues ?? false;
}

/** Writes how many rows of a store were read. @returns false if the run has a file already, or has ended */
export async function writeRead(at: SellerDb, runId: string, rows: number): Promise<boolean> {
  const changed = await feedRuns.change(
    at,
    part`rows_done = ${rows}`,
    part`run_id = ${runId} and ${UNFILLED}`,
  );
  return changed === 1;
}

/** Gives a run its file. @returns false if it has one already, or has ended */
export async function fillRun(
  at: SellerDb,
  runId: string,
  { fileId, source, detection }: { fileId: string; source: RunSource; detection: unknown },
): Promise<boolean> {
  const changed = await feedRuns.change(
    at,
    part`file_id = ${fileId},
     source = ${JSON.stringify(source)},
     detection = ${JSON.stringify(detection)},
     rows_done = 0`,
    part`run_id = ${runId} and ${UNFILLED}`,
  );
  return changed === 1;
}

/** The unfinished run that reads a store. */
export async function unfinishedRunOf(
  { db, seller_id }: SellerDb,
  channelId: string,
  { previews }: { readonly previews: boolean },
): Promise<string | undefined> {
  const row = await db.one(statement({ run_id: text })`
    select run_id
      from feed_run
     where seller_id = ${seller_id}
       and kind = 'channel_import'
       and source ->> 'channel_id' = ${channelId}
       and (${previews} or not dry_run)
       and ${UNFINISHED}
     limit 1`);
  return row?.run_id;
}

/** When the last import of a channel was applied that was not reverted since; null: there is none. */
export async function lastImportOf({ db, seller_id }: SellerDb, channelId: string): Promise<string | null> {
  const row = await db.one(statement({ finished_at: nullable(instant) })`
    select max(r.finished_at) as finished_at
      from feed_run r
     where r.seller_id = ${seller_id}
       and r.source ->> 'channel_id' = ${channelId}
       and r.kind in ('channel_import', 'commit')
       and not r.dry_run
       and r.status in ('succeeded', 'succeeded_with_errors')
       and not exists (
         select from feed_run v
          where v.seller_id = ${seller_id}
            and v.reverts_run_id = r.run_id
            and v.status = 'succeeded'
            and ${RESTORED('v')})`);
  return row?.finished_at ?? null;
}

const DAY_MS = 86_400_000;

/**
 * When the oldest run began that may have become visible after an instant; null: there is none. All its changes have
 * the time at which it began.
 */
export async function oldestUnseen({ db, seller_id }: SellerDb, after: number): Promise<string | null> {
  const row = await db.one(statement({ began: nullable(instant) })`
    select min(coalesce(started_at, received_at)) as began
      from feed_run
     where seller_id = ${seller_id}
       and received_at > ${isoOf(after - DAY_MS)}
       and not dry_run
       and (${UNFINISHED} or finished_at > ${isoOf(after)})`);
  return row?.began ?? null;
}

interface RunEnd {
  readonly status: RunStatus;
  readonly counts: RunCounts;
  readonly error: RunError | null;
  readonly finishedAt: string;
  readonly evidenceExpiresAt: string;
}

/** Ends a run; false when it has already ended, or when a success was cancelled. */
export async function endRun(at: SellerDb, runId: string, end: RunEnd): Promise<boolean> {
  const { status, counts, error, finishedAt, evidenceExpiresAt } = end;
  const succeeds = status === 'succeeded' || status === 'succeeded_with_errors';
  const changed = await feedRuns.change(
    at,
    part`status = ${status},
     counts = ${JSON.stringify(counts)},
     error = ${error && JSON.stringify(error)},
     finished_at = ${finishedAt},
     rows_done = ${counts.rows},
     rows_total = ${counts.rows},
     started_at = coalesce(started_at, ${finishedAt}),
     evidence_expires_at = ${evidenceExpiresAt}`,
    part`run_id = ${runId}
     and ${UNFINISHED}
     and ${allOf(succeeds && part`cancel_requested_at is null`)}`,
  );
  return changed === 1;
}

/** Asks a run to stop; false when it has already ended. */
export async function requestCancel(own: SellerDb, runId: string, at: string): Promise<boolean> {
  const changed = await feedRuns.change(
    own,
    part`cancel_requested_at = coalesce(cancel_requested_at, ${at})`,
    part`run_id = ${runId} and ${UNFINISHED}`,
  );
  return changed === 1;
}

/**
 * The id of a run that commits or reverts the given run and was not rejected. A revert that has skipped every row is no
 * revert of it.
 */
export async function findFollowUp(
  { db, seller_id }: SellerDb,
  column: 'commits_run_id' | 'reverts_run_id',
  runId: string,
): Promise<string | undefined> {
  const row = await db.one(statement({ run_id: text })`
    select run_id
      from feed_run
     where seller_id = ${seller_id}
       and ${raw(column)} = ${runId}
       and status in ('received', 'validating', 'applying', 'succeeded', 'succeeded_with_errors')
       and (commits_run_id is not null or ${RESTORED('feed_run')})
     limit 1`);
  return row?.run_id;
}

const lockOf = (runId: string): Part => part`hashtextextended(${`feed:${runId}`}, 1)`;

/** Locks a run until the transaction ends; false when another process has locked it. */
export async function tryLockRun(db: Db, runId: string): Promise<boolean> {
  const lock = await db.one(statement({ free: boolean })`
    select pg_try_advisory_xact_lock(${lockOf(runId)}) as free`);
  return lock?.free === true;
}

/** Locks a run until the transaction ends; waits for the transaction that executes it. */
export async function waitForRun(db: Db, runId: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(${lockOf(runId)})`);
}

/** A run stops itself at its time limit; PostgreSQL ends its transaction so much later. */
const FROZEN_MARGIN_MS = 3_000;

/**
 * Locks the writing runs of a seller until the transaction ends. A process that is frozen in a run keeps this lock, so
 * PostgreSQL ends its transaction, and the run cannot commit when the process wakes up. Before version 17 it does so only
 * between two statements; in the middle of one, the seller's other runs wait for the frozen process.
 */
export async function lockWritingRuns(db: Db, sellerId: string, limitMs: number): Promise<void> {
  await db.run(command`
    select set_config(name, ${String(limitMs + FROZEN_MARGIN_MS)}, true)
      from pg_settings
     where name in ('transaction_timeout', 'idle_in_transaction_session_timeout')`);
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${`feeds:${sellerId}`}, 2))`);
}

/** Makes the planner use indexes until the transaction ends; see {@link BY_INDEX}. */
export async function preferIndexes(db: Db): Promise<void> {
  await db.run(command`select ${raw(BY_INDEX)}`);
}
