/**
 * Feed runs and their row results as they stand on the wire.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import Type from 'typebox';
import { documentedAs, Extended, Instant, Nullable } from '../../../kernel/schema.ts';
import type { Evidence } from '../domain/feed-run/evidence.ts';
import type { FeedRun } from '../domain/feed-run/run.ts';
import { isTerminal } from '../domain/feed-run/run.ts';
import { identityToWire } from '../domain/identity/wire-identity.ts';
import type { Change } from '../domain/plan/changes.ts';
import { type RowOutcome as Outcome, ROW_OUTCOMES } from '../domain/plan/row-outcome.ts';
import type { ApprovedVersion, StoredIdentity } from '../domain/product.ts';
import { DetectAnswerSchema } from './detect.ts';
import { FeedMode, FeedRunKind, FeedRunStatus, OnError, RowOutcome } from './enums.ts';
import { ChangeEntry, Finding, IdentityResolution } from './parts.ts';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  created: 'Rows that created a product',
  updated: 'Rows that changed a product',
  unchanged: 'Rows that said what the catalogue says already',
  deactivated: 'Rows that took a product off sale',
  merged: 'Rows that became part of another row',
  staged: 'Rows that wait for a part of the file that has not come yet',
  ignored: 'Rows that are about no product',
  rejected: 'Rows with an error; nothing of them was applied',
  not_attempted: 'Rows that were not tried, because the run ended or the product has changed since',
};

const counted = (description: string) => Type.Integer({ description });
const Counts = Type.Object(
  Object.fromEntries([
    ['rows', counted('Data rows that were read')],
    ...ROW_OUTCOMES.map((name) => [name, counted(OUTCOMES[name])] as const),
    ['warnings', counted('Findings that are warnings; a row may have several')],
  ]),
  { title: 'FeedCounts', description: 'The outcomes sum to `rows`; `warnings` counts findings.' },
);

/** Written as the run keeps it. */
const written = (schema: Type.TSchema) => documentedAs(Type.Unsafe<unknown>(schema));

export const RowResultSchema = Type.Object(
  {
    row_number: Type.Integer({ description: 'Data row, from 1' }),
    line_start: Type.Integer({ description: 'First line of the row in the file, from 1' }),
    line_end: Type.Integer({ description: 'Last line of the row in the file' }),
    seller_sku: Nullable(Type.String()),
    product_id: Nullable(Type.String()),
    outcome: RowOutcome,
    part_of: Nullable(Type.Integer({ description: 'Row of which a merged row became a part' })),
    identity_resolution: written(Nullable(IdentityResolution)),
    changes: Type.Array(ChangeEntry, { description: 'The fields of the product that the row changed' }),
    messages: Type.Array(Finding, { description: 'What was found in the row' }),
    raw_sha256: Type.String({ description: 'SHA-256 of the bytes of the row, hexadecimal' }),
  },
  { title: 'RowResult', description: 'The evidence of one row: what it did and what was found in it.' },
);

const Source = Type.Object(
  {
    filename: Nullable(Type.String({ description: 'Name of the file, where a multipart body gave one' })),
    content_type: Type.String(),
    bytes: Type.Integer(),
    sha256: Type.String(),
    encoding: Type.String({ description: 'Text encoding of the file, for example `utf-8`' }),
    delimiter: Nullable(Type.String({ description: 'Character between the cells; null for JSON' })),
    profile: Nullable(Type.String({ description: 'Import profile; null for the service’s own feed format' })),
  },
  { title: 'FeedSource', description: 'The file of the run.' },
);

const RunFailure = Type.Object(
  {
    code: Type.String({ description: 'Why the run ended, for programs' }),
    detail: Type.String({ description: 'Why the run ended, for people' }),
    retryable: Type.Boolean({ description: 'Whether the same file may succeed later' }),
  },
  {
    title: 'FeedRunFailure',
    description: 'Why a run ended without being applied.',
    additionalProperties: true,
  },
);

const FileDetection = Type.Object(
  {
    answer: Type.Optional(DetectAnswerSchema),
    messages: Type.Optional(Type.Array(Finding, { description: 'What was found in the header row' })),
    shape: Type.Optional(Type.String({ description: 'Known shape of the file beside the profiles' })),
    locations: Type.Optional(
      Type.Unknown({ description: 'Locations of a store platform’s inventory export whose stock counts' }),
    ),
  },
  {
    title: 'FileDetection',
    description: 'What was found out about the file before its rows were read.',
    additionalProperties: true,
  },
);

const link = (description: string) => Type.Optional(Type.String({ description }));
const Links = Type.Object(
  {
    self: Type.String({ description: 'Path of the run' }),
    row_results: Type.String({ description: 'Path of the evidence of all rows' }),
    rejected_rows: link('Path of the rejected rows as a CSV file; present when there are any'),
    commit: link('Path that applies the preview; present on a finished dry run'),
    revert: link('Path that undoes the run; present on an applied run'),
    cancel: link('Path that stops the run; present until it has ended'),
  },
  { title: 'FeedRunLinks', description: 'Paths of what can be read or done with the run now.' },
);

const runFields = {
  run_id: Type.String(),
  kind: FeedRunKind,
  mode: FeedMode,
  on_error: OnError,
  dry_run: Type.Boolean({ description: 'Whether the run only shows what it would do' }),
  status: FeedRunStatus,
  counts: Counts,
  source: Source,
  idempotency_key: Nullable(Type.String()),
  replay_key: Type.String({ description: 'Names the request in the log of the service' }),
  contract_version: Type.String(),
  commits_run_id: Nullable(Type.String({ description: 'Id of the dry run that this run applies' })),
  reverts_run_id: Nullable(Type.String({ description: 'Id of the run that this run undoes' })),
  error: written(Nullable(RunFailure)),
  detection: written(Nullable(FileDetection)),
  received_at: Instant({ description: 'When the file had arrived' }),
  started_at: Nullable(Instant({ description: 'When the run began; null before' })),
  finished_at: Nullable(Instant({ description: 'When the run ended; null before' })),
  progress: Type.Object(
    {
      rows_done: Type.Integer({ description: 'Rows that have been worked on' }),
      rows_total: Nullable(Type.Integer({ description: 'Rows of the file; null until all are read' })),
    },
    { title: 'FeedProgress', description: 'How far the run is.' },
  ),
  links: Links,
};

export const FeedRunSchema = Type.Object(runFields, {
  title: 'FeedRun',
  description: 'One file, and what became of it.',
});
export const FeedRunWithRowsSchema = Extended(
  FeedRunSchema,
  { row_results: Type.Array(RowResultSchema, { description: 'The first 100 row results' }) },
  { title: 'FeedRunWithRows', description: 'A feed run with its first row results.' },
);

/** Rows of a run that are shown beside it; the rest is paged. */
export const ROWS_SHOWN = 100;

export const runPath = (runId: string): string => `/api/v1/products/feed-runs/${runId}`;

function links(run: FeedRun): Type.Static<typeof Links> {
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
