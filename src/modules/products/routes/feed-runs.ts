/** Feeds: docs/design/feeds-and-imports.md#feed-runs. */
import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, invalid, requireFound } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { described, PAGE_LIMIT_DEFAULT, Page, pageQuery, withDefault } from '../../../kernel/schema.ts';
import { refuseOverdue } from '../../../kernel/standing.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { ListFormat, pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { feedErrors } from '../actions/feed-errors.ts';
import { cancelRun } from '../actions/feeds/cancel-run.ts';
import { commitOrRevert, FEED_TIMEOUT_MS } from '../actions/feeds/commit-or-revert.ts';
import { feedContract } from '../actions/feeds/feed-contract.ts';
import { evidenceTable, rejectedRows } from '../actions/feeds/rejected-csv.ts';
import { startNativeRun } from '../actions/feeds/start-native-run.ts';
import { CONTENT_TYPES } from '../domain/feed-run/formats.ts';
import { feedLimits } from '../domain/feed-run/limits.ts';
import type { FeedRun, RunKind } from '../domain/feed-run/run.ts';
import { FeedMode, FeedRunKind, FeedRunStatus, OnError, RowOutcome } from '../schemas/enums.ts';
import { FeedContractSchema } from '../schemas/feed-contract.ts';
import { CONTRACT_EXAMPLE, RUN_EXAMPLE, RUN_WITH_ROWS_EXAMPLE } from '../schemas/feed-examples.ts';
import {
  PRODUCT_CSV,
  PRODUCT_FEED_MEDIA,
  ROW_RESULTS_MEDIA,
  STOCK_CSV,
  STOCK_FEED_MEDIA,
} from '../schemas/feed-files.ts';
import {
  FeedRunSchema,
  FeedRunWithRowsSchema,
  RowResultSchema,
  toWireRow,
  toWireRun,
} from '../schemas/feed-run.ts';
import { DryRun, UPLOAD_HEADERS } from '../schemas/upload-options.ts';
import { productSettings } from '../settings.ts';
import { type EvidenceFilter, loadEvidence } from '../store/feed-rows.ts';
import { listRuns, loadRun } from '../store/feed-runs.ts';

const write = { auth: 'seller', permission: 'catalogue:write', rate: 'feed' } as const;
const read = reads('catalogue');
const RunParams = Type.Object({ run_id: Type.String({ description: 'Id of the run, `frn_…`' }) });

/** The answers of a run: the first for a synchronous run, the second for an asynchronous one. */
export const runAnswers = (kind: RunKind = 'products') =>
  [
    {
      status: 201,
      description: 'The run has ended. The answer has its first 100 row results',
      schema: FeedRunWithRowsSchema,
      example: { ...RUN_WITH_ROWS_EXAMPLE, kind },
    },
    {
      status: 202,
      description: 'The worker will execute the run (`Prefer: respond-async`)',
      schema: FeedRunWithRowsSchema,
      example: { ...RUN_WITH_ROWS_EXAMPLE, kind, status: 'received', row_results: [] },
    },
  ] as const;
const [applied] = runAnswers();
export const uploadErrors = [
  feedErrors.feed_too_large,
  feedErrors.feed_content_type,
  feedErrors.feed_validation_failed,
  feedErrors.feed_rejected,
  feedErrors.feed_execution_failed,
  feedErrors.feed_timeout,
  feedErrors.feed_cancelled,
  feedErrors.feed_quota_reached,
  feedErrors.feed_no_room,
  feedErrors.feed_unavailable,
];

async function requireRun(at: SellerDb, runId: string): Promise<FeedRun> {
  return requireFound(await loadRun(at, runId));
}

/** Writes rejected rows as the seller sent them, or the evidence as a table. */
async function rowsAsCsv(ctx: HandlerCtx, run: FeedRun, filter: EvidenceFilter): Promise<RouteResult<never>> {
  const { plan, currency } = await ctx.standing();
  const limits = feedLimits(productSettings.of(ctx.services.config), plan);
  const data = ctx.snapshotStream((db) => {
    const at = { db, seller_id: ctx.seller_id };
    return filter.outcome === 'rejected' && run.kind !== 'revert'
      ? rejectedRows(at, ctx.services, run, limits, currency, filter)
      : evidenceTable(at, filter);
  });
  const name = `${run.run_id}-${filter.outcome ?? 'rows'}.csv`;
  return {
    headers: { 'content-disposition': `attachment; filename="${name}"` },
    content: { type: 'text/csv; charset=utf-8', data },
  };
}

const RowQuery = Type.Object({
  ...pageQuery,
  outcome: Type.Optional(described('Rows with this outcome', RowOutcome)),
  code: Type.Optional(Type.String({ maxLength: 64, description: 'Rows with a finding of this code' })),
  sku: Type.Optional(Type.String({ maxLength: 64, description: 'Rows of this `seller_sku`' })),
  format: Type.Optional(
    described(
      '`csv` with `outcome=rejected` returns the rejected rows as a file that you can correct and send again. Its columns `_codes` and `_messages` say what is wrong; a feed ignores them. A cell `_unchanged` says nothing about its field',
      ListFormat,
    ),
  ),
});

export const feedRoutes = [
  defineRoute({
    id: 'products.feed_contract.get',
    method: 'GET',
    path: '/feed-contract',
    summary: 'Read the feed contract',
    description: 'Limits, columns and codes of feeds for your plan.',
    access: read,
    errors: [],
    ok: okJson('The contract', FeedContractSchema, CONTRACT_EXAMPLE),
    handler: async (ctx) => ({ body: await feedContract(ctx) }),
  }),
  defineRoute({
    id: 'products.feed_runs.create',
    method: 'POST',
    path: '/feed-runs',
    summary: 'Send a product or inventory feed',
    description:
      'A run is atomic: rows, status, row results and the answer of the key are stored together or not at all. With `Prefer: respond-async` the worker executes the run; products that you change before that keep your change (`version_conflict`). ' +
      'A synchronous run whose answer is lost is applied before the connection ends or never; the run then has the error `abandoned`. ' +
      '`dry_run=true` only stores the row results; `commit` then applies exactly this preview.',
    access: { ...write, idempotency: 'required', planOption: 'async_feeds', growsCatalogue: 'some' },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      mode: Type.Optional(withDefault('upsert', FeedMode)),
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: DryRun,
    }),
    body: {
      kind: 'stream',
      contentTypes: CONTENT_TYPES,
      description: 'A CSV, TSV, JSON or NDJSON file, optionally with `Content-Encoding: gzip`',
      example: PRODUCT_CSV,
      media: PRODUCT_FEED_MEDIA,
    },
    ok: runAnswers(),
    errors: uploadErrors,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    handler: async (ctx, request) => {
      const { mode = 'upsert', on_error: onError = 'continue', dry_run: dryRun = false } = request.query;
      const kind = mode === 'inventory' ? 'inventory' : 'products';
      if (kind === 'products') refuseOverdue(await ctx.standing(), ctx.now());
      return startNativeRun(ctx, request, { kind, mode, onError, dryRun });
    },
  }),
  defineRoute({
    id: 'products.inventory.import',
    method: 'POST',
    path: '/inventory/import',
    summary: 'Import stock from a file',
    description:
      'Starts a feed run of kind `inventory`. It reads the columns `seller_sku`, `quantity` and `reorder_point` and ignores others. ' +
      "A store platform's inventory export is accepted too: the stock of a variant is the sum over all locations, or over those of `locations`. " +
      'Rows of unknown variants are rejected.',
    access: { ...write, idempotency: 'optional', planOption: 'async_feeds' },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: DryRun,
      locations: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            "Locations of a store platform's inventory export whose stock counts, joined by `|`; defaults to all",
        }),
      ),
    }),
    body: {
      kind: 'stream',
      contentTypes: CONTENT_TYPES,
      description: 'A file of any feed format with `seller_sku` and `quantity`',
      example: STOCK_CSV,
      media: STOCK_FEED_MEDIA,
    },
    ok: runAnswers(),
    errors: uploadErrors,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    handler: (ctx, request) => {
      const { on_error: onError = 'continue', dry_run: dryRun = false, locations } = request.query;
      const order = { kind: 'inventory', mode: 'inventory', onError, dryRun, store: { locations } } as const;
      return startNativeRun(ctx, request, order);
    },
  }),
  pageRoute({
    id: 'products.feed_runs.list',
    path: '/feed-runs',
    summary: 'List feed runs',
    description: 'Newest first.',
    access: read,
    filters: {
      status: Type.Optional(described('Runs with this status', FeedRunStatus)),
      kind: Type.Optional(described('Runs of this kind', FeedRunKind)),
    },
    schema: FeedRunSchema,
    example: RUN_EXAMPLE,
    read: (ctx, { filters, after, limit }) => listRuns(ctx, filters, after, limit),
    position: ({ run_id }) => [run_id],
    view: toWireRun,
  }),
  defineRoute({
    id: 'products.feed_runs.get',
    method: 'GET',
    path: '/feed-runs/{run_id}',
    summary: 'Read a feed run',
    description: 'Shows status, progress, counts and links to the rows.',
    access: read,
    params: RunParams,
    errors: [coreErrors.not_found],
    ok: okJson('The run', FeedRunSchema, RUN_EXAMPLE),
    handler: async (ctx, { params }) => {
      const run = await requireRun(ctx, params.run_id);
      return { body: toWireRun(run), etag: `${run.run_id}-${run.status}-${run.rows_done}` };
    },
  }),
  defineRoute({
    id: 'products.row_results.list',
    method: 'GET',
    path: '/feed-runs/{run_id}/row-results',
    summary: 'List the row results of a run',
    description: 'In the order of the file.',
    access: read,
    params: RunParams,
    query: RowQuery,
    errors: [coreErrors.not_found],
    tx: 'own',
    ok: [
      {
        status: 200,
        description: 'A page of row results, or a CSV file',
        schema: Page(RowResultSchema),
        contentTypes: ['text/csv'],
        media: ROW_RESULTS_MEDIA,
        example: {
          data: RUN_WITH_ROWS_EXAMPLE.row_results,
          page: { limit: 50, next_cursor: null, has_more: false },
        },
      },
    ],
    handler: async (ctx, { params, query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, outcome, code, sku, format } = query;
      const filter: EvidenceFilter = { runId: params.run_id, outcome, code, sku };
      const run = await ctx.transaction('read', (db) => requireRun(ctx.in(db), params.run_id));
      if (format === 'csv') {
        if (cursor === undefined) return rowsAsCsv(ctx, run, filter);
        const msg = 'A CSV file has all rows. Remove the cursor.';
        throw invalid([{ loc: ['query', 'cursor'], msg, type: 'extra_forbidden' }]);
      }
      const { cursors } = ctx.services;
      const filters = { run_id: params.run_id, outcome, code, sku };
      const scope = { seller_id: ctx.seller_id, route: 'products.row_results.list', filters };
      const after = cursor === undefined ? 0 : Number(cursors.decode(scope, cursor)[0]);
      const rows = await ctx.transaction('read', (db) => loadEvidence(ctx.in(db), filter, after, limit + 1));
      const { data, page } = pageOf(rows, limit, (last) => cursors.encode(scope, [last.row_number]));
      return { body: { data: data.map(toWireRow), page } };
    },
  }),
  defineRoute({
    id: 'products.feed_runs.commit',
    method: 'POST',
    path: '/feed-runs/{run_id}/commit',
    summary: 'Commit a dry run',
    description:
      'Applies exactly the changes of the preview, as a new run. If a product has changed since, nothing is applied. The commit, not the dry run, uses one of the feed runs of the day.',
    access: { ...write, idempotency: 'optional', limit: 'products', growsCatalogue: 'some' },
    params: RunParams,
    timeoutMs: FEED_TIMEOUT_MS,
    ok: [applied],
    errors: [
      coreErrors.not_found,
      feedErrors.preview_stale,
      feedErrors.run_not_committable,
      feedErrors.evidence_expired,
      feedErrors.feed_rejected,
      feedErrors.feed_quota_reached,
    ],
    tx: 'own',
    handler: (ctx, request) => commitOrRevert(ctx, request.params.run_id, 'commit', request),
  }),
  defineRoute({
    id: 'products.feed_runs.revert',
    method: 'POST',
    path: '/feed-runs/{run_id}/revert',
    summary: 'Revert an applied run',
    description:
      'Undoes the changes, as a new run. Rows whose products have changed since are skipped with the outcome `not_attempted`. A run is reverted once; a revert that skipped all that it would have changed does not count.',
    access: { ...write, idempotency: 'optional', growsCatalogue: 'some' },
    params: RunParams,
    timeoutMs: FEED_TIMEOUT_MS,
    ok: [applied],
    errors: [
      coreErrors.not_found,
      feedErrors.run_not_revertible,
      feedErrors.evidence_expired,
      feedErrors.feed_rejected,
    ],
    tx: 'own',
    handler: (ctx, request) => commitOrRevert(ctx, request.params.run_id, 'revert', request),
  }),
  defineRoute({
    id: 'products.feed_runs.cancel',
    method: 'POST',
    path: '/feed-runs/{run_id}/cancel',
    summary: 'Cancel a feed run',
    description: 'Stops a run that has not ended. Nothing is applied.',
    access: { ...write, idempotency: 'optional' },
    params: RunParams,
    ok: [
      {
        status: 200,
        description: 'The run is cancelled',
        schema: FeedRunSchema,
        example: { ...RUN_EXAMPLE, status: 'cancelled' },
      },
      {
        status: 202,
        description: 'The run will stop at its next checkpoint',
        schema: FeedRunSchema,
        example: { ...RUN_EXAMPLE, status: 'applying' },
      },
    ],
    errors: [coreErrors.not_found, feedErrors.run_finished],
    handler: async (ctx, { params }) => {
      const { run, stopped } = await cancelRun(ctx, params.run_id);
      return { status: stopped ? 200 : 202, body: toWireRun(run) };
    },
  }),
];
