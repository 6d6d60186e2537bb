/**
 * Takes a feed in: the first of two transactions stores the upload and the run and claims the key; the second
 * (`execute-run.ts`) applies it, now or in the worker. Source: docs/design/feeds-and-imports.md#feed-runs.
 */

import { startOfDay } from '../../../../kernel/australia/sydney.ts';
import type { Ctx, SellerCtx, Standing } from '../../../../kernel/context.ts';
import { ApiError, coreErrors, fail, featureNotAvailable } from '../../../../kernel/errors.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import {
  fingerprint,
  type IdempotencyKey,
  type StoredAnswer,
  storeKey,
  takeKey,
} from '../../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../../platform/services.ts';
import { asyncAvailable, type FeedLimits } from '../../domain/feed-run/limits.ts';
import {
  type FeedMode,
  type FeedRun,
  NO_COUNTS,
  type OnError,
  type RunKind,
  type RunSource,
} from '../../domain/feed-run/run.ts';
import { asFeedError, feedErrors, feedFailure } from '../../feed-errors.ts';
import { countRunsSince, insertRun } from '../../store/feed-runs.ts';
import { holdIntake } from '../../store/hold-run.ts';
import { acceptedAnswer, type FeedAnswer, replayed } from './answer-run.ts';
import { CONTRACT_VERSION } from './contract-version.ts';
import { executeRun } from './execute-run.ts';
import type { Upload, UploadRequest } from './receive-upload.ts';
import { FINISH_JOB, RunBusy } from './run-end.ts';

export type FeedCtx = SellerCtx & { readonly services: Services } & Ctx;

export interface FeedOrder {
  readonly kind: Extract<RunKind, 'products' | 'inventory' | 'profile_import'>;
  readonly mode: FeedMode;
  readonly onError: OnError;
  readonly dryRun: boolean;
  readonly async: boolean;
  readonly upload: Upload;
  readonly limits: FeedLimits;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly profile: string | null;
  /** What was found out about the file before it was stored. */
  readonly detection: unknown;
  readonly claim: IdempotencyKey | undefined;
}

/** A run whose process died is taken up by the worker this long after it should have ended. */
const RECOVERY_MARGIN_MS = 20_000;

function sourceOf({ upload, encoding, delimiter, profile }: FeedOrder): RunSource {
  return {
    filename: upload.filename,
    content_type: upload.contentType,
    bytes: upload.spool.bytes,
    sha256: upload.spool.sha256.toString('hex'),
    encoding,
    delimiter,
    profile,
  };
}

function newRun(ctx: FeedCtx, order: FeedOrder, fileId: string, runId: string): FeedRun {
  return {
    run_id: runId,
    kind: order.kind,
    mode: order.mode,
    on_error: order.onError,
    dry_run: order.dryRun,
    async: order.async,
    status: 'received',
    counts: NO_COUNTS,
    source: sourceOf(order),
    file_id: fileId,
    idempotency_key: order.claim?.key ?? null,
    replay_key: ctx.ids.next('req_'),
    contract_version: CONTRACT_VERSION,
    commits_run_id: null,
    reverts_run_id: null,
    error: null,
    detection: order.detection,
    rows_done: 0,
    rows_total: null,
    created_by: ctx.seller.member_id,
    request_id: ctx.request_id,
    cancel_requested_at: null,
    received_at: new Date(ctx.now()).toISOString(),
    started_at: null,
    finished_at: null,
  };
}

interface Received {
  readonly runId: string;
  /** The answer of an earlier request with the same key. */
  readonly replay?: StoredAnswer;
  readonly accepted?: FeedAnswer;
}

async function checkQuota(
  ctx: FeedCtx,
  plan: Standing['plan'],
  db: Parameters<typeof countRunsSince>[0],
): Promise<void> {
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

/** The first transaction. */
async function receive(ctx: FeedCtx, order: FeedOrder, standing: Standing): Promise<Received> {
  const { services, seller } = ctx;
  const { upload, limits, claim } = order;
  const full = claim && { ...claim, fingerprint: fingerprint([claim.fingerprint, upload.spool.sha256]) };
  return ctx.longTransaction('write', async (db) => {
    if (full !== undefined) {
      const earlier = await takeKey(db, seller.seller_id, full, ctx.now());
      if (earlier?.status !== undefined)
        return { runId: earlier.reference ?? '', replay: earlier as StoredAnswer };
      // The process that received the first request is gone: its run is carried to its end here.
      if (earlier?.reference != null) return { runId: earlier.reference };
    }
    await checkQuota(ctx, standing.plan, db);
    const keptUntil = ctx.now() + services.config.EVIDENCE_RETENTION_DAYS * 86_400_000;
    const file = await services.files.put(
      db,
      {
        sellerId: seller.seller_id,
        purpose: 'feed',
        contentType: upload.contentType,
        now: ctx.now(),
        expiresAt: keptUntil,
      },
      upload.spool.read(),
    );
    // Again, now that no other run of the seller comes in beside this one.
    await holdIntake(db, seller.seller_id);
    await checkQuota(ctx, standing.plan, db);
    const run = newRun(ctx, order, file.file_id, services.ids.next('frn_'));
    await insertRun(db, seller.seller_id, run);
    const accepted = order.async ? acceptedAnswer(run) : undefined;
    if (full !== undefined) {
      const answer = accepted && {
        status: accepted.status,
        headers: accepted.headers,
        body: accepted.payload,
      };
      await storeKey(db, seller.seller_id, full, ctx.now(), answer, run.run_id);
    }
    const delay = order.async ? 0 : limits.max_sync_seconds * 1000 + RECOVERY_MARGIN_MS;
    await services.jobs.add(db, {
      kind: FINISH_JOB,
      sellerId: seller.seller_id,
      uniqueKey: run.run_id,
      dueAt: ctx.now() + delay,
      payload: { run_id: run.run_id },
    });
    return { runId: run.run_id, ...(accepted === undefined ? {} : { accepted }) };
  });
}

/**
 * Whether the caller asks for an asynchronous run (RFC 7240 `respond-async`).
 *
 * @throws ApiError 402 when the plan has none: before the file is looked at, as every plan boundary
 */
export function wantsAsync(headers: UploadRequest['headers'], plan: Standing['plan']): boolean {
  const wanted = /(^|[,;])\s*respond-async\s*([,;]|$)/i.test(String(headers['prefer'] ?? ''));
  if (wanted && !asyncAvailable(plan)) throw featureNotAvailable(plan, 'async_feeds');
  return wanted;
}

/**
 * Receives and, unless it is asynchronous, executes a feed.
 *
 * @throws ApiError 409 (key), 429 (runs per day)
 */
export async function receiveFeed(ctx: FeedCtx, order: FeedOrder): Promise<FeedAnswer> {
  const standing = await ctx.standing();
  try {
    const received = await receive(ctx, order, standing);
    if (received.replay !== undefined) return replayed(received.replay);
    if (received.accepted !== undefined) return received.accepted;
    return await executeRun(ctx.services, {
      sellerId: ctx.seller.seller_id,
      runId: received.runId,
      standing,
      seconds: order.limits.max_sync_seconds,
      waits: true,
      log: ctx.log,
    });
  } catch (error) {
    if (error instanceof RunBusy) throw inProgress();
    throw error instanceof ApiError && error.code.startsWith('idempotency_') ? asFeedError(error) : error;
  }
}

const inProgress = (): ApiError =>
  asFeedError(fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': '2' } }));
