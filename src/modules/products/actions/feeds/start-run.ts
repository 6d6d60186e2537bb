/**
 * Starts a feed run. A first transaction stores the file and the run under the request's key. A second one applies the
 * rows in this request (`execute-run.ts`), or accepts the run for the worker (`accept-run.ts`).
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Standing } from '../../../../kernel/context.ts';
import { ApiError, coreErrors, fail, featureNotAvailable } from '../../../../kernel/errors.ts';
import type { RequestKey, RouteResult } from '../../../../kernel/route.ts';
import { systemNow } from '../../../../platform/db/clock.ts';
import { isUnavailable } from '../../../../platform/db/unavailable.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import { asyncAvailable, type FeedLimits, feedLimits } from '../../domain/feed-run/limits.ts';
import {
  CONTRACT_VERSION,
  type FeedMode,
  type FeedRun,
  NO_COUNTS,
  type OnError,
  type RunKind,
} from '../../domain/feed-run/run.ts';
import { productSettings } from '../../settings.ts';
import { insertRun, loadRun, tryLockRun, waitForRun } from '../../store/feed-runs.ts';
import { asFeedError, feedErrors, feedFailure } from '../feed-errors.ts';
import { acceptRun } from './accept-run.ts';
import { asResult } from './answer-run.ts';
import { executeRun } from './execute-run.ts';
import {
  evidenceExpiry,
  holdRun,
  LOST_WAIT_MS,
  lostDatabase,
  planAbandon,
  RunBusy,
  RunEnded,
} from './run-end.ts';
import { spoolUpload, type Upload, type UploadRequest } from './spool-upload.ts';
import { ASK_AGAIN_MS } from './until-known.ts';

export type FeedRequest = UploadRequest & {
  readonly key: RequestKey;
  /** Aborts when the client disconnects. The run is then not applied. */
  readonly signal: AbortSignal;
};

/** The options of a request, and how to read its file. */
export interface FeedOptions {
  readonly kind: Extract<RunKind, 'products' | 'inventory' | 'profile_import'>;
  readonly mode: FeedMode;
  readonly onError: OnError;
  readonly dryRun: boolean;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly profile: string | null;
  /** What the request has found out about the file; see `RunDetection`. */
  readonly detection: unknown;
}

type Inspect<T> = (upload: Upload, limits: FeedLimits, currency: string) => Promise<T>;

/** Writes an upload to the disk, and deletes it there after `use`. */
export async function withUpload<T>(ctx: HandlerCtx, request: UploadRequest, use: Inspect<T>): Promise<T> {
  const { plan, currency } = await ctx.standing();
  const limits = feedLimits(productSettings.of(ctx.services.config), plan);
  const upload = await spoolUpload(request, limits, ctx.services.config.MAX_SPOOL_BYTES);
  try {
    return await use(upload, limits, currency);
  } finally {
    await upload.spool[Symbol.asyncDispose]();
  }
}

interface Submission extends FeedOptions {
  readonly upload: Upload;
  readonly limits: FeedLimits;
  readonly async: boolean;
}

function newRun(ctx: HandlerCtx, submission: Submission, fileId: string): FeedRun {
  const { upload, encoding, delimiter, profile } = submission;
  return {
    run_id: ctx.ids.next('frn_'),
    kind: submission.kind,
    mode: submission.mode,
    on_error: submission.onError,
    dry_run: submission.dryRun,
    async: false,
    status: 'received',
    counts: NO_COUNTS,
    source: {
      filename: upload.filename,
      content_type: upload.contentType,
      bytes: upload.spool.bytes,
      sha256: upload.spool.sha256.toString('hex'),
      encoding,
      delimiter,
      profile,
    },
    file_id: fileId,
    idempotency_key: ctx.correlation.idempotency_key,
    replay_key: ctx.ids.next('req_'),
    contract_version: CONTRACT_VERSION,
    commits_run_id: null,
    reverts_run_id: null,
    error: null,
    detection: submission.detection,
    rows_done: 0,
    rows_total: null,
    created_by: ctx.by.id,
    request_id: ctx.request_id,
    cancel_requested_at: null,
    received_at: ctx.at(),
    started_at: null,
    finished_at: null,
  };
}

/** Either the request has its answer, or it must execute the run, or accept it. */
type StoredRun = { readonly answer: RouteResult<never> } | { readonly runId: string };

/**
 * The first transaction: stores the file and the run, unless an earlier request with the key has stored them. If its
 * connection is lost at the commit, the request goes on once it knows that the run was stored. Otherwise a stored run is
 * ended by its job, and never applied.
 */
async function storeRun(
  ctx: HandlerCtx,
  submission: Submission,
  request: Pick<FeedRequest, 'key' | 'signal' | 'headers'>,
): Promise<StoredRun> {
  let stored: string | undefined;
  try {
    return await ctx.longTransaction('write', async (db) => {
      const { answer, reference } = await request.key.earlier(db);
      if (answer !== undefined) return { answer };
      // The plan may have changed while the file arrived.
      const { plan } = await ctx.standing();
      wantsAsync(request.headers, plan);
      // The process of the earlier request has died before it could answer, so this request takes its run over.
      if (reference !== null) return { runId: reference };
      const runId = await insertUpload(ctx.in(db), submission);
      await request.key.refer(db, runId);
      if (submission.async && request.signal.aborted) throw fail(coreErrors.timeout);
      stored = runId;
      return { runId };
    });
  } catch (error) {
    const runId = stored;
    if (runId === undefined || !lostDatabase(error)) throw error;
    if (await holdRun(ctx.services, runId, () => wasStored(ctx, runId))) return { runId };
    throw error;
  }
}

/** Stores the file and the run, and plans the job that ends it if this process dies. @returns the id of the run */
async function insertUpload(ctx: HandlerCtx, submission: Submission): Promise<string> {
  const { services, seller_id: sellerId, db } = ctx;
  const { contentType, spool } = submission.upload;
  const expiresAt = Date.parse(evidenceExpiry(services));
  const owner = { sellerId, purpose: 'feed', contentType, now: ctx.now(), expiresAt } as const;
  const file = await services.files.put(db, owner, spool.read());
  const run = newRun(ctx, submission, file.file_id);
  const { run_id } = run;
  await tryLockRun(db, run_id);
  await insertRun(ctx, run);
  await planAbandon(ctx, run_id);
  return run_id;
}

/** Whether the transaction that stored a run was committed. Waits for its end on the server. */
async function wasStored({ services, seller_id }: HandlerCtx, runId: string): Promise<boolean> {
  const until = systemNow() + LOST_WAIT_MS;
  for (;;) {
    try {
      return await services.withSeller(
        seller_id,
        'write',
        async (db) => {
          await waitForRun(db, runId);
          return (await loadRun({ db, seller_id }, runId)) !== undefined;
        },
        { lockTimeoutMs: LOST_WAIT_MS },
      );
    } catch (error) {
      if (!isUnavailable(error) || systemNow() > until) return false;
      await rest(ASK_AGAIN_MS);
    }
  }
}

/**
 * Whether the caller asks for an asynchronous run (RFC 7240 `respond-async`).
 *
 * @throws ApiError 402 when the plan has no asynchronous runs
 */
function wantsAsync(headers: UploadRequest['headers'], plan: Standing['plan']): boolean {
  const wanted = /(^|[,;])\s*respond-async\s*([,;]|$)/i.test(String(headers['prefer'] ?? ''));
  if (wanted && !asyncAvailable(plan)) throw featureNotAvailable(plan, 'async_feeds');
  return wanted;
}

/**
 * Stores a feed run. Executes it, or accepts it if it is asynchronous; then the worker executes it.
 *
 * @param inspect finds out how to read the file, and refuses a file that no run can read
 * @throws ApiError 402, 409 (key), 413, 415, 422, 429 (runs per day)
 */
export async function startRun(
  ctx: HandlerCtx,
  request: FeedRequest,
  inspect: Inspect<FeedOptions>,
): Promise<RouteResult<never>> {
  const async = wantsAsync(request.headers, (await ctx.standing()).plan);
  return withUpload(ctx, request, async (upload, limits, currency) => {
    const submission = { ...(await inspect(upload, limits, currency)), upload, limits, async };
    try {
      const key = request.key.including(upload.spool.sha256);
      const { headers, signal } = request;
      const stored = await storeRun(ctx, submission, { key, headers, signal });
      if ('answer' in stored) return stored.answer;
      const { runId } = stored;
      return await holdRun(ctx.services, runId, async () => {
        if (async) return acceptRun(ctx, runId, { key, signal }, limits.max_sync_seconds * 1000);
        const answer = await executeRun(ctx.services, {
          sellerId: ctx.seller_id,
          runId,
          standing: await ctx.standing(),
          seconds: limits.max_sync_seconds,
          waits: true,
          signal,
          log: ctx.log,
          record: ({ db }, { counts }, answer) => {
            ctx.audit({ counts: { ...counts } });
            return ctx.record(db, answer);
          },
        });
        return asResult(answer);
      });
    } catch (error) {
      if (error instanceof RunBusy) throw inProgress();
      if (isUnavailable(error) || error instanceof RunEnded) throw unavailable(error);
      throw error instanceof ApiError && error.code.startsWith('idempotency_') ? asFeedError(error) : error;
    }
  });
}

const unavailable = (cause: unknown): ApiError =>
  feedFailure(feedErrors.feed_unavailable, { retryable: true, headers: { 'retry-after': '5' }, cause });

const inProgress = (): ApiError =>
  asFeedError(fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } }));
