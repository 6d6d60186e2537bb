/** Feed runs. Source: docs/design/feeds-and-imports.md#feed-runs. */
import type { RowOutcome } from '../plan/row-outcome.ts';
import type { SourceOrigin } from '../product.ts';
import type { RowMessage } from '../row.ts';

export const RUN_KINDS = [
  'products',
  'inventory',
  'profile_import',
  'channel_import',
  'commit',
  'revert',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

const ORIGINS: Readonly<Partial<Record<RunKind, SourceOrigin>>> = {
  profile_import: 'profile_import',
  channel_import: 'store_platform',
};
/** Where the products of a run's file come from. */
export const originOf = (kind: RunKind): SourceOrigin => ORIGINS[kind] ?? 'feed';

export const FEED_MODES = ['upsert', 'update_only', 'create_only', 'inventory'] as const;
export type FeedMode = (typeof FEED_MODES)[number];

export const ON_ERROR = ['continue', 'abort'] as const;
export type OnError = (typeof ON_ERROR)[number];

export const RUN_STATUSES = [
  'received',
  'validating',
  'applying',
  'succeeded',
  'succeeded_with_errors',
  'rejected',
  'failed',
  'timed_out',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The version of the feed contract. It changes when the meaning of a column, a code or a rule changes. */
export const CONTRACT_VERSION = '1.0';

/** A terminal status never changes. */
export const TERMINAL_STATUSES: readonly RunStatus[] = [
  'succeeded',
  'succeeded_with_errors',
  'rejected',
  'failed',
  'timed_out',
  'cancelled',
];

export const isTerminal = (status: RunStatus): boolean => TERMINAL_STATUSES.includes(status);

/** The number of rows with each outcome. `rows` is their sum. `warnings` counts findings, not rows. */
export type RunCounts = Readonly<Record<RowOutcome | 'rows' | 'warnings', number>>;

export const NO_COUNTS: RunCounts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deactivated: 0,
  merged: 0,
  staged: 0,
  ignored: 0,
  rejected: 0,
  not_attempted: 0,
  warnings: 0,
};

export interface RunSource {
  readonly filename: string | null;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly profile: string | null;
  /** The connected store that the service has read. */
  readonly channel_id?: string;
}

/** Why the service did not apply a run. */
export interface RunError {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
}

export interface FeedRun {
  readonly run_id: string;
  readonly kind: RunKind;
  readonly mode: FeedMode;
  readonly on_error: OnError;
  readonly dry_run: boolean;
  readonly async: boolean;
  readonly status: RunStatus;
  readonly counts: RunCounts;
  readonly source: RunSource;
  readonly file_id: string | null;
  readonly idempotency_key: string | null;
  readonly replay_key: string;
  readonly contract_version: string;
  readonly commits_run_id: string | null;
  readonly reverts_run_id: string | null;
  readonly error: RunError | null;
  readonly detection: unknown;
  readonly rows_done: number;
  readonly rows_total: number | null;
  readonly created_by: string | null;
  readonly request_id: string | null;
  readonly cancel_requested_at: string | null;
  readonly received_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Whether the file of a run comes from a connected store; also of a run that commits or reverts such a run. */
export const isChannelRun = ({ source }: Pick<FeedRun, 'source'>): boolean => source.channel_id !== undefined;

/** Counts rows by outcome. */
export class Counter {
  private readonly counts: Record<keyof RunCounts, number> = { ...NO_COUNTS };

  add(outcome: RowOutcome, messages: readonly RowMessage[]): void {
    this.counts.rows += 1;
    this.counts[outcome] += 1;
    for (const { severity } of messages) if (severity === 'warning') this.counts.warnings += 1;
  }

  get value(): RunCounts {
    return { ...this.counts };
  }
}

/** Whether a run with these counts has changed products, or would. Only such a run uses the quota of the day. */
export const changesProducts = ({ created, updated, deactivated, staged }: RunCounts): boolean =>
  created + updated + deactivated + staged > 0;

/**
 * The status of a run that has read all its rows. It is `rejected` if some rows were rejected and none was applied. An
 * ignored row does not count as applied.
 */
export function finalStatus(counts: RunCounts): 'succeeded' | 'succeeded_with_errors' | 'rejected' {
  if (counts.rejected + counts.not_attempted === 0) return 'succeeded';
  const applied = counts.created + counts.updated + counts.unchanged + counts.deactivated + counts.staged;
  return applied === 0 ? 'rejected' : 'succeeded_with_errors';
}
