/**
 * Feed runs and their row results as they stand on the wire.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import Type from 'typebox';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { Evidence } from '../domain/feed-run/evidence.ts';
import type { FeedRun } from '../domain/feed-run/run.ts';
import { FEED_MODES, isTerminal, ON_ERROR, RUN_KINDS, RUN_STATUSES } from '../domain/feed-run/run.ts';
import { identityToWire } from '../domain/identity/wire-identity.ts';
import type { Change } from '../domain/plan/changes.ts';
import { ROW_OUTCOMES } from '../domain/plan/row-outcome.ts';
import type { ApprovedVersion, StoredIdentity } from '../domain/product.ts';
import { Finding } from './parts.ts';

const Counts = Type.Object(
  Object.fromEntries(['rows', ...ROW_OUTCOMES, 'warnings'].map((name) => [name, Type.Integer()])),
  { title: 'FeedCounts', description: 'The outcomes sum to `rows`; `warnings` counts findings.' },
);

export const RowResultSchema = Type.Object(
  {
    row_number: Type.Integer({ description: 'Data row, from 1' }),
    line_start: Type.Integer(),
    line_end: Type.Integer(),
    seller_sku: Nullable(Type.String()),
    product_id: Nullable(Type.String()),
    outcome: StringEnum(ROW_OUTCOMES),
    part_of: Nullable(Type.Integer({ description: 'Row of which a merged row became a part' })),
    identity_resolution: Type.Unsafe<unknown>({
      description: 'How the product was identified: strategy, normalised, matched_by, candidates',
    }),
    changes: Type.Array(
      Type.Object({
        field: Type.String(),
        before: Type.Unsafe<unknown>({}),
        after: Type.Unsafe<unknown>({}),
      }),
    ),
    messages: Type.Array(Finding),
    raw_sha256: Type.String(),
  },
  { title: 'RowResult' },
);

const Source = Type.Object({
  filename: Nullable(Type.String()),
  content_type: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String(),
  encoding: Type.String(),
  delimiter: Nullable(Type.String()),
  profile: Nullable(Type.String()),
});

const runFields = {
  run_id: Type.String(),
  kind: StringEnum(RUN_KINDS),
  mode: StringEnum(FEED_MODES),
  on_error: StringEnum(ON_ERROR),
  dry_run: Type.Boolean(),
  status: StringEnum(RUN_STATUSES),
  counts: Counts,
  source: Source,
  idempotency_key: Nullable(Type.String()),
  replay_key: Type.String(),
  contract_version: Type.String(),
  commits_run_id: Nullable(Type.String()),
  reverts_run_id: Nullable(Type.String()),
  error: Type.Unsafe<unknown>({
    description: 'Why the run ended without being applied: code, detail, retryable; else null',
  }),
  detection: Type.Unsafe<unknown>({ description: 'What was found out about the file; else null' }),
  received_at: Type.String({ format: 'date-time' }),
  started_at: Nullable(Type.String({ format: 'date-time' })),
  finished_at: Nullable(Type.String({ format: 'date-time' })),
  progress: Type.Object({ rows_done: Type.Integer(), rows_total: Nullable(Type.Integer()) }),
  links: Type.Record(Type.String(), Type.String()),
};

export const FeedRunSchema = Type.Object(runFields, { title: 'FeedRun' });
export const FeedRunWithRowsSchema = Type.Object(
  { ...runFields, row_results: Type.Array(RowResultSchema) },
  { title: 'FeedRunWithRows' },
);

/** Rows of a run that are shown beside it; the rest is paged. */
export const ROWS_SHOWN = 100;

export const runPath = (runId: string): string => `/api/v1/products/feed-runs/${runId}`;

function links(run: FeedRun): Record<string, string> {
  const self = runPath(run.run_id);
  const always = { self, row_results: `${self}/row-results` };
  if (!isTerminal(run.status)) return { ...always, cancel: `${self}/cancel` };
  const rejected =
    run.counts.rejected > 0 ? { rejected_rows: `${self}/row-results?outcome=rejected&format=csv` } : {};
  const applied = run.status === 'succeeded' || run.status === 'succeeded_with_errors';
  const next =
    !applied || run.kind === 'revert'
      ? {}
      : run.dry_run
        ? { commit: `${self}/commit` }
        : { revert: `${self}/revert` };
  return { ...always, ...rejected, ...next };
}

/** A run on the wire. */
export function toWireRun(run: FeedRun) {
  const {
    rows_done,
    rows_total,
    async: _async,
    file_id: _file,
    created_by: _by,
    request_id: _request,
    cancel_requested_at: _cancel,
    ...rest
  } = run;
  const { file: _read, ...detection } = (run.detection ?? {}) as Record<string, unknown>;
  return {
    ...rest,
    detection: run.detection === null ? null : detection,
    progress: { rows_done, rows_total },
    links: links(run),
  };
}

/**
 * Changes as the wire shows products: an identity has the keys of its strategy and nothing of how it is stored.
 * Its brand stands among the changes only when it changes too; then the folded one must do.
 */
function toWireChanges(changes: readonly Change[]): readonly Change[] {
  const brand = changes.find(({ field }) => field === 'brand');
  const identity = (value: unknown, side: 'before' | 'after'): unknown => {
    if (value === null || value === undefined) return null;
    return identityToWire(value as StoredIdentity, typeof brand?.[side] === 'string' ? brand[side] : null);
  };
  const approved = (value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    const version = value as ApprovedVersion;
    return { ...version, identity: identity(version.identity, 'before') };
  };
  const shown: Readonly<Record<string, (value: unknown, side: 'before' | 'after') => unknown>> = {
    identity,
    approved,
  };
  return changes.map((change) => {
    const show = Object.hasOwn(shown, change.field) ? shown[change.field] : undefined;
    if (show === undefined) return change;
    return { ...change, before: show(change.before, 'before'), after: show(change.after, 'after') };
  });
}

/** A row result on the wire. */
export function toWireRow({
  resolution,
  cells: _cells,
  product_version: _version,
  raw_sha256,
  changes,
  ...rest
}: Evidence) {
  return {
    ...rest,
    changes: toWireChanges(changes),
    identity_resolution: resolution,
    raw_sha256: raw_sha256.toString('hex'),
  };
}
