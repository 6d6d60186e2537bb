/** Feed runs: docs/design/feeds-and-imports.md#feed-runs. */
import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import {
  described,
  PAGE_LIMIT_DEFAULT,
  Page,
  pageQuery,
  StringEnum,
  withDefault,
} from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { feedErrors } from '../actions/feed-errors.ts';
import { cancelRun } from '../actions/feeds/cancel-run.ts';
import { feedContract } from '../actions/feeds/feed-contract.ts';
import { followRun } from '../actions/feeds/follow-run.ts';
import type { FeedCtx } from '../actions/feeds/receive-feed.ts';
import { receiveNative } from '../actions/feeds/receive-native.ts';
import { evidenceTable, rejectedRows } from '../actions/feeds/rejected-csv.ts';
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
import { UPLOAD_HEADERS } from '../schemas/upload-headers.ts';
import { type EvidenceFilter, loadEvidence } from '../store/feed-rows.ts';
import { listRuns, loadRun } from '../store/feed-runs.ts';

const write = { auth: 'seller', permission: 'catalogue:write', rate: 'feed' } as const;
const read = reads('catalogue');
const RunParams = Type.Object({ run_id: Type.String({ description: 'Id of the run, `frn_…`' }) });
/** Longer than the longest synchronous run, so that the run's own limit answers first. */
const FEED_TIMEOUT_MS = 660_000;

/** Answers of a run; the first is that of a synchronous one. */
export const runAnswers = (kind: RunKind = 'products') =>
  [
    {
      status: 201,
      description: 'The run is applied; its first 100 row results are in the answer',
      schema: FeedRunWithRowsSchema,
      example: { ...RUN_WITH_ROWS_EXAMPLE, kind },
    },
    {
      status: 202,
      description: 'The worker will execute the run (`Prefer: respond-async`)',
      schema: FeedRunWithRowsSchema,
      example: { ...RUN_WITH_ROWS_EXAMPLE, kind, status: 'received' },
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
];

async function requireRun(db: FeedCtx['db'], runId: string): Promise<FeedRun> {
  const run = await loadRun(db, runId);
  if (run === undefined) throw fail(coreErrors.not_found);
  return run;
}

/** Rejected rows as they were sent, or the evidence as a table. */
async function rowsAsCsv(ctx: FeedCtx, run: FeedRun, filter: EvidenceFilter): Promise<RouteResult<never>> {
  const { plan, currency } = await ctx.standing();
  const limits = feedLimits(ctx.services.config, plan);
  const data = ctx.snapshotStream((db) =>
    filter.outcome === 'rejected' && run.kind !== 'revert'
      ? rejectedRows(db, ctx.services, run, limits, currency, filter)
      : evidenceTable(db, filter),
  );
  const name = `${run.run_id}-${filter.outcome ?? 'rows'}.csv`;
  return {
    headers: { 'content-disposition': `attachment; filename="${name}"` },
    content: { type: 'text/csv; charset=utf-8', data },
  };
}

const RowQuery = Type.Object({
  ...pageQuery,
  outcome: Type.Optional(described('Rows with this outcome', RowOutcome)),
  code: Type.Optional(Type.String({ maxLength: 64, description: 'Rows with a message of this code' })),
  sku: Type.Optional(Type.String({ maxLength: 64, description: 'Rows of this `seller_sku`' })),
  format: Type.Optional(
    StringEnum(['json', 'csv'], {
      default: 'json',
      description: '`csv` with `outcome=rejected` is a file that can be corrected and fed back as it is',
    }),
  ),
});

export const feedRoutes = [
  defineRoute({
    id: 'products.feed_contract.get',
    method: 'GET',
    path: '/feed-contract',
    summary: 'Limits, columns and codes of feeds, for the calling seller’s plan',
    access: read,
    errors: [],
    ok: [{ status: 200, description: 'The contract', schema: FeedContractSchema, example: CONTRACT_EXAMPLE }],
    handler: async (ctx) => ({ body: await feedContract(ctx) }),
  }),
  defineRoute({
    id: 'products.feed_runs.create',
    method: 'POST',
    path: '/feed-runs',
    summary: 'Send a product or inventory feed',
    description:
      'Atomic: applied rows, status, row evidence and replay key are stored together or not at all. `Prefer: respond-async` lets the worker do it. ' +
      '`dry_run=true` gives the same evidence and writes nothing else; `commit` then applies exactly that preview.',
    access: { ...write, idempotency: 'required', planOption: 'async_feeds' },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      mode: Type.Optional(withDefault('upsert', FeedMode)),
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Shows what the run would do and writes nothing else; `commit` then applies exactly that',
        }),
      ),
    }),
    body: {
      kind: 'stream',
      contentTypes: CONTENT_TYPES,
      description: 'CSV, TSV, JSON or NDJSON, optionally with `Content-Encoding: gzip`',
      example: PRODUCT_CSV,
      media: PRODUCT_FEED_MEDIA,
    },
    ok: runAnswers(),
    errors: uploadErrors,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    handler: (ctx, request) => {
      const { mode = 'upsert', on_error: onError = 'continue', dry_run: dryRun = false } = request.query;
      const kind = mode === 'inventory' ? 'inventory' : 'products';
      return receiveNative(ctx, request, { kind, mode, onError, dryRun });
    },
  }),
  defineRoute({
    id: 'products.inventory.import',
    method: 'POST',
    path: '/inventory/import',
    summary: 'Import stock from a CSV file',
    description:
      'An ordinary feed run of kind `inventory`: columns `seller_sku`, `quantity`, `reorder_point`; other columns are passed over. ' +
      "A store platform's inventory export is taken as it is: available stock is summed over the locations, or over those of `locations`; " +
      'a variant that the catalogue does not have is rejected.',
    access: { ...write, idempotency: 'optional', planOption: 'async_feeds' },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Shows what the run would do and writes nothing else; `commit` then applies exactly that',
        }),
      ),
      locations: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            "Locations of a store platform's inventory export whose stock counts, joined by `|`; default: all",
        }),
      ),
    }),
    body: {
      kind: 'stream',
      contentTypes: CONTENT_TYPES,
      description: 'CSV (or any feed format) with `seller_sku` and `quantity`',
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
      return receiveNative(ctx, request, order);
    },
  }),
  pageRoute({
    id: 'products.feed_runs.list',
    path: '/feed-runs',
    summary: 'List feed runs, newest first',
    access: read,
    filters: {
      status: Type.Optional(described('Runs in this state', FeedRunStatus)),
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
    summary: 'One feed run',
    access: read,
    params: RunParams,
    errors: [coreErrors.not_found],
    ok: [{ status: 200, description: 'The run', schema: FeedRunSchema, example: RUN_EXAMPLE }],
    handler: async (ctx, { params }) => {
      const run = await requireRun(ctx.db, params.run_id);
      return { body: toWireRun(run), etag: `${run.run_id}-${run.status}-${run.rows_done}` };
    },
  }),
  defineRoute({
    id: 'products.row_results.list',
    method: 'GET',
    path: '/feed-runs/{run_id}/row-results',
    summary: 'Evidence for every row of a run, in file order',
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
      const run = await ctx.transaction('read', (db) => requireRun(db, params.run_id));
      if (format === 'csv') {
        if (cursor === undefined) return rowsAsCsv(ctx, run, filter);
        const msg = 'A CSV file holds all rows; leave the cursor out.';
        throw invalid([{ loc: ['query', 'cursor'], msg, type: 'extra_forbidden' }]);
      }
      const { cursors } = ctx.services;
      const filters = { run_id: params.run_id, outcome, code, sku };
      const scope = { seller_id: ctx.seller_id, route: 'products.row_results.list', filters };
      const after = cursor === undefined ? 0 : Number(cursors.decode(scope, cursor)[0]);
      const rows = await ctx.transaction('read', (db) => loadEvidence(db, filter, after, limit + 1));
      const { data, page } = pageOf(rows, limit, (last) => cursors.encode(scope, [last.row_number]));
      return { body: { data: data.map(toWireRow), page } };
    },
  }),
  defineRoute({
    id: 'products.feed_runs.commit',
    method: 'POST',
    path: '/feed-runs/{run_id}/commit',
    summary: 'Apply exactly a preview',
    access: { ...write, idempotency: 'optional', limit: 'products' },
    params: RunParams,
    timeoutMs: FEED_TIMEOUT_MS,
    ok: [applied],
    errors: [
      coreErrors.not_found,
      feedErrors.preview_stale,
      feedErrors.run_not_committable,
      feedErrors.feed_rejected,
    ],
    tx: 'own',
    handler: (ctx, { params, key }) => followRun(ctx, params.run_id, 'commit', key),
  }),
  defineRoute({
    id: 'products.feed_runs.revert',
    method: 'POST',
    path: '/feed-runs/{run_id}/revert',
    summary: 'Undo an applied run by a new one',
    description: 'Rows that were changed since are skipped and named (`not_attempted`).',
    access: { ...write, idempotency: 'optional' },
    params: RunParams,
    timeoutMs: FEED_TIMEOUT_MS,
    ok: [applied],
    errors: [coreErrors.not_found, feedErrors.run_not_revertible, feedErrors.feed_rejected],
    tx: 'own',
    handler: (ctx, { params, key }) => followRun(ctx, params.run_id, 'revert', key),
  }),
  defineRoute({
    id: 'products.feed_runs.cancel',
    method: 'POST',
    path: '/feed-runs/{run_id}/cancel',
    summary: 'Stop a run that has not ended; nothing of it is applied',
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
        description: 'The run has been asked to stop',
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
