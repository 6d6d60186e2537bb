/**
 * Receives a feed: the first of two transactions stores the upload and the run under the request's key; the second
 * (`execute-run.ts`) applies the rows, now or in the worker. Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import { startOfDay } from '../../../../kernel/australia/sydney.ts';
import type { CursorDb, SellerCtx, Standing } from '../../../../kernel/context.ts';
import { ApiError, coreErrors, fail, featureNotAvailable } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import type { RequestKey, RouteResult } from '../../../../kernel/route.ts';
import type { Services } from '../../../../platform/services.ts';
import { asyncAvailable, type FeedLimits, feedLimits } from '../../domain/feed-run/limits.ts';
import {
  CONTRACT_VERSION,
  type FeedMode,
  type FeedRun,
  NO_COUNTS,
  type OnError,
  type RunKind,
} from '../../domain/feed-run/run.ts';
import { countRunsSince, insertRun, lockIntake } from '../../store/feed-runs.ts';
import { asFeedError, feedErrors, feedFailure } from '../feed-errors.ts';
import { acceptedAnswer, asResult } from './answer-run.ts';
import { executeRun } from './execute-run.ts';
import { receiveUpload, type Upload, type UploadRequest } from './receive-upload.ts';
import { evidenceExpiry, FINISH_JOB, RunBusy } from './run-end.ts';

export type FeedCtx = SellerCtx & { readonly services: Services };
export type FeedRequest = UploadRequest & { readonly key: RequestKey };

/** What a request asks for, and how its file is read. */
export interface FeedOrder {
  readonly kind: Extract<RunKind, 'products' | 'inventory' | 'profile_import'>;
  readonly mode: FeedMode;
  readonly onError: OnError;
  readonly dryRun: boolean;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly profile: string | null;
  /** Findings about the file before it is stored. */
  readonly detection: unknown;
}

type Inspect<T> = (upload: Upload, limits: FeedLimits, currency: string) => Promise<T>;

/** Stores an upload on the disk while it is used. */
export async function withUpload<T>(ctx: FeedCtx, request: UploadRequest, use: Inspect<T>): Promise<T> {
  const { plan, currency } = await ctx.standing();
  const limits = feedLimits(ctx.services.config, plan);
  const upload = await receiveUpload(request, limits, ctx.services.config.MAX_SPOOL_BYTES);
  try {
    return await use(upload, limits, currency);
  } finally {
    await upload.spool[Symbol.asyncDispose]();
  }
}

/** The worker takes up a run whose process died so long after the run should have ended. */
const RECOVERY_MARGIN_MS = 20_000;

interface Received extends FeedOrder {
  readonly upload: Upload;
  readonly limits: FeedLimits;
  readonly async: boolean;
}

function newRun(ctx: FeedCtx, order: Received, fileId: string): FeedRun {
  const { upload, encoding, delimiter, profile } = order;
  return {
    run_id: ctx.ids.next('frn_'),
    kind: order.kind,
    mode: order.mode,
    on_error: order.onError,
    dry_run: order.dryRun,
    async: order.async,
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
    detection: order.detection,
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

async function checkQuota(ctx: FeedCtx, plan: Standing['plan'], db: CursorDb): Promise<void> {
  const { start, next } = startOfDay(ctx.now());
  const limit = planLimit(plan, 'feed_runs_per_day');
  if ((await countRunsSince(db, new Date(start).toISOString())) < limit) return;
  const seconds = Math.ceil((next - ctx.now()) / 1000);
  throw feedFailure(feedErrors.feed_quota_reached, {
    detail: `The ${plan} plan allows ${limit} feed runs per day.`,
    retryable: true,
    headers: { 'retry-after': String(seconds) },
  });
}

/** The first transaction: an answer that is known already, or the run to execute. */
async function store(
  ctx: FeedCtx,
  order: Received,
  key: RequestKey,
  { plan }: Standing,
): Promise<RouteResult<never> | string> {
  const { services } = ctx;
  const { upload, limits } = order;
  return ctx.longTransaction('write', async (db) => {
    const { answer, reference } = await key.earlier(db);
    // A reference without an answer: the process of the first request died, so this one executes its run.
    if (answer !== undefined || reference !== null) return answer ?? reference ?? '';
    await checkQuota(ctx, plan, db);
    const expiresAt = Date.parse(evidenceExpiry(services));
    const { contentType } = upload;
    const owner = {
      sellerId: ctx.seller_id,
      purpose: 'feed',
      contentType,
      now: ctx.now(),
      expiresAt,
    } as const;
    const file = await services.files.put(db, owner, upload.spool.read());
    // Checked again under the lock, which other uploads of the seller wait for.
    await lockIntake(db, ctx.seller_id);
    await checkQuota(ctx, plan, db);
    const run = newRun(ctx, order, file.file_id);
    await insertRun(ctx.in(db), run);
    const delay = order.async ? 0 : limits.max_sync_seconds * 1000 + RECOVERY_MARGIN_MS;
    await ctx.in(db).jobs.add({
      kind: FINISH_JOB,
      uniqueKey: run.run_id,
      dueAt: ctx.now() + delay,
      payload: { run_id: run.run_id },
    });
    if (order.async) return key.keep(db, asResult(acceptedAnswer(run)), run.run_id);
    await key.refer(db, run.run_id);
    return run.run_id;
  });
}

/**
 * Whether the caller asks for an asynchronous run (RFC 7240 `respond-async`).
 *
 * @throws ApiError 402 when the plan has none, before the file is read
 */
function wantsAsync(headers: UploadRequest['headers'], plan: Standing['plan']): boolean {
  const wanted = /(^|[,;])\s*respond-async\s*([,;]|$)/i.test(String(headers['prefer'] ?? ''));
  if (wanted && !asyncAvailable(plan)) throw featureNotAvailable(plan, 'async_feeds');
  return wanted;
}

/**
 * Receives and, unless it is asynchronous, executes a feed.
 *
 * @throws ApiError 409 (key), 413, 415, 422, 429 (runs per day) of the feed family
 */
export async function receiveFeed(
  ctx: FeedCtx,
  request: FeedRequest,
  inspect: Inspect<FeedOrder>,
): Promise<RouteResult<never>> {
  const standing = await ctx.standing();
  const async = wantsAsync(request.headers, standing.plan);
  return withUpload(ctx, request, async (upload, limits, currency) => {
    const order = { ...(await inspect(upload, limits, currency)), upload, limits, async };
    try {
      const received = await store(ctx, order, request.key.including(upload.spool.sha256), standing);
      if (typeof received !== 'string') return received;
      const answer = await executeRun(ctx.services, {
        sellerId: ctx.seller_id,
        runId: received,
        standing,
        seconds: limits.max_sync_seconds,
        waits: true,
        log: ctx.log,
      });
      return asResult(answer);
    } catch (error) {
      if (error instanceof RunBusy) throw inProgress();
      throw error instanceof ApiError && error.code.startsWith('idempotency_') ? asFeedError(error) : error;
    }
  });
}

const inProgress = (): ApiError =>
  asFeedError(fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } }));
