/**
 * Feed runs and their row results in the API.
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
import type { ReviewedVersion, StoredIdentity } from '../domain/product.ts';
import { DetectAnswerSchema } from './detect.ts';
import { FeedMode, FeedRunKind, FeedRunStatus, OnError, RowOutcome } from './enums.ts';
import { ChangeEntry, Finding, IdentityResolution } from './parts.ts';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  created: 'Rows that created a product',
  updated: 'Rows that changed a product',
  unchanged: 'Rows that did not change their product',
  deactivated: 'Rows that took a product off sale',
  merged: 'Rows that are part of another row’s product',
  staged: 'Rows that created a draft, because the file lacks facts that a sale requires',
  ignored: 'Rows without a product',
  rejected: 'Rows with an error; they changed nothing',
  not_attempted: 'Rows that were skipped, because the run ended or the product has changed since',
};

const counted = (description: string) => Type.Integer({ description });
const Counts = Type.Object(
  Object.fromEntries([
    ['rows', counted('Data rows of the file')],
    ...ROW_OUTCOMES.map((name) => [name, counted(OUTCOMES[name])] as const),
    ['warnings', counted('Number of warnings; a row may have several')],
  ]),
  { title: 'FeedCounts', description: 'Number of rows by outcome. The outcomes sum to `rows`.' },
);

/** Documented with a schema, typed as unknown: it is stored as JSON. */
const storedJson = (schema: Type.TSchema) => documentedAs(Type.Unsafe<unknown>(schema));

export const RowResultSchema = Type.Object(
  {
    row_number: Type.Integer({ description: 'Data row, from 1' }),
    line_start: Type.Integer({ description: 'First line of the row in the file, from 1' }),
    line_end: Type.Integer({ description: 'Last line of the row in the file' }),
    seller_sku: Nullable(Type.String()),
    product_id: Nullable(Type.String()),
    outcome: RowOutcome,
    part_of: Nullable(Type.Integer({ description: 'Number of the row that a merged row is part of' })),
    identity_resolution: storedJson(Nullable(IdentityResolution)),
    changes: Type.Array(ChangeEntry, { description: 'Fields that the row changed' }),
    messages: Type.Array(Finding, { description: 'Findings about the row' }),
    raw_sha256: Type.String({ description: 'SHA-256 of the bytes of the row, in hexadecimal' }),
  },
  { title: 'RowResult', description: 'The result of one row: its outcome, its changes and its findings.' },
);

const Source = Type.Object(
  {
    filename: Nullable(
      Type.String({ description: 'Name of the file; null unless a multipart body names it' }),
    ),
    content_type: Type.String(),
    bytes: Type.Integer(),
    sha256: Type.String(),
    encoding: Type.String({ description: 'Text encoding of the file, for example `utf-8`' }),
    delimiter: Nullable(Type.String({ description: 'Delimiter of the cells; null for JSON' })),
    profile: Nullable(Type.String({ description: 'Import profile; null for the service’s own feed format' })),
    channel_id: Type.Optional(Type.String({ description: 'The connected store that was read, `chn_…`' })),
  },
  { title: 'FeedSource', description: 'The file of a feed run.' },
);

const RunFailure = Type.Object(
  {
    code: Type.String({ description: 'Code of the error' }),
    detail: Type.String({ description: 'Why the run failed, for people' }),
    retryable: Type.Boolean({ description: 'Whether the same file may succeed later' }),
  },
  {
    title: 'FeedRunFailure',
    description: 'Why a run was not applied.',
    additionalProperties: true,
  },
);

const FileDetection = Type.Object(
  {
    answer: Type.Optional(DetectAnswerSchema),
    messages: Type.Optional(Type.Array(Finding, { description: 'Findings about the header row' })),
    shape: Type.Optional(Type.String({ description: 'Known format that is not an import profile' })),
    locations: Type.Optional(
      storedJson(
        Nullable(
          Type.Array(Type.String(), {
            description:
              'Locations of a store platform’s inventory export whose stock counts; null: all of them',
          }),
        ),
      ),
    ),
  },
  {
    title: 'FileDetection',
    description: 'Findings about the file from before its rows were read.',
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
  dry_run: Type.Boolean({ description: 'Whether the run is a preview' }),
  status: FeedRunStatus,
  counts: Counts,
  source: Source,
  idempotency_key: Nullable(Type.String()),
  replay_key: Type.String({ description: 'Id of the request in the logs of the service' }),
  contract_version: Type.String(),
  commits_run_id: Nullable(Type.String({ description: 'Id of the dry run that this run commits' })),
  reverts_run_id: Nullable(Type.String({ description: 'Id of the run that this run reverts' })),
  error: storedJson(Nullable(RunFailure)),
  detection: storedJson(Nullable(FileDetection)),
  received_at: Instant({ description: 'When the upload was complete' }),
  started_at: Nullable(Instant({ description: 'When the run started; null before' })),
  finished_at: Nullable(Instant({ description: 'When the run ended; null before' })),
  progress: Type.Object(
    {
      rows_done: Type.Integer({ description: 'Rows processed so far' }),
      rows_total: Nullable(
        Type.Integer({
          description:
            'Rows in the file; null until the run ends, because rows are applied while the file is read',
        }),
      ),
    },
    { title: 'FeedProgress', description: 'The progress of a run.' },
  ),
  links: Links,
};

export const FeedRunSchema = Type.Object(runFields, {
  title: 'FeedRun',
  description: 'A file that was sent as a feed, and its outcome.',
});
export const FeedRunWithRowsSchema = Extended(
  FeedRunSchema,
  { row_results: Type.Array(RowResultSchema, { description: 'The first 100 row results' }) },
  { title: 'FeedRunWithRows', description: 'A feed run with its first row results.' },
);

/** Row results in the answer of a run; the others are read by page. */
export const FIRST_ROWS = 100;

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
 * Writes identities with the keys of their strategy, as `Product` has them. The changes have the brand only when it
 * changed; otherwise the identity gets its folded brand.
 */
function toWireChanges(changes: readonly Change[]): readonly Change[] {
  const brand = changes.find(({ field }) => field === 'brand');
  const identity = (value: unknown, side: 'before' | 'after'): unknown => {
    if (value === null || value === undefined) return null;
    return identityToWire(value as StoredIdentity, typeof brand?.[side] === 'string' ? brand[side] : null);
  };
  const approved = (value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    const version = value as ReviewedVersion;
    if (version.identity == null) return version;
    return { ...version, identity: identityToWire(version.identity, version.brand ?? null) };
  };
  const writers: Readonly<Record<string, (value: unknown, side: 'before' | 'after') => unknown>> = {
    identity,
    approved,
  };
  return changes.map((change) => {
    const write = Object.hasOwn(writers, change.field) ? writers[change.field] : undefined;
    if (write === undefined) return change;
    return { ...change, before: write(change.before, 'before'), after: write(change.after, 'after') };
  });
}

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
