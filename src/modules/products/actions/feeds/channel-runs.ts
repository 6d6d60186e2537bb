/**
 * Feed runs whose file comes from a connected store. The module `channels` begins such a run, reads the store and fills
 * the run; from then on it is an ordinary asynchronous run.
 * Source: docs/design/feeds-and-imports.md#runs-of-connected-stores.
 */
import type { Acting } from '../../../../kernel/context.ts';
import { currencyExponent } from '../../../../kernel/money.ts';
import { acting } from '../../../../platform/acting.ts';
import { readStanding } from '../../../../platform/db/read-standing.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { Spool } from '../../../../platform/files/spool.ts';
import type { Services } from '../../../../platform/services.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import { CONTRACT_VERSION, type FeedRun, NO_COUNTS, type RunError } from '../../domain/feed-run/run.ts';
import { mapFile, PROFILES } from '../../domain/profiles/profiles.ts';
import type { FeedRow } from '../../domain/row.ts';
import { runFailed } from '../../events.ts';
import { toWireRun } from '../../schemas/feed-run.ts';
import { productSettings } from '../../settings.ts';
import { loadEvidence } from '../../store/feed-rows.ts';
import {
  endRun,
  fillRun,
  findFollowUp,
  insertRun,
  lastImportOf,
  loadRun,
  unfinishedRunOf,
  writeRead,
} from '../../store/feed-runs.ts';
import { checkedRows, type RunDetection } from './open-rows.ts';
import { evidenceExpiry, planFinish } from './run-end.ts';

const PROFILE = 'store_platform_products';
const CONTENT_TYPE = 'text/csv';
/** SHA-256 of no bytes: the file of a run that is not read yet. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface NewChannelRun {
  readonly channel_id: string;
  readonly dryRun: boolean;
  /** Whether rows of unknown products create them. */
  readonly creates: boolean;
}

/** The run of a channel that has not ended. */
export const findChannelRun = (at: SellerDb, channelId: string): Promise<string | undefined> =>
  unfinishedRunOf(at, channelId, { previews: true });

/** The run of a channel that has not ended and is no preview. */
export const findApplyingRun = (at: SellerDb, channelId: string): Promise<string | undefined> =>
  unfinishedRunOf(at, channelId, { previews: false });

/** Begins a run without a file. */
export async function beginChannelRun(ctx: Acting, { channel_id, dryRun, creates }: NewChannelRun) {
  const run: FeedRun = {
    run_id: ctx.ids.next('frn_'),
    kind: 'channel_import',
    mode: creates ? 'upsert' : 'update_only',
    on_error: 'continue',
    dry_run: dryRun,
    async: true,
    status: 'received',
    counts: NO_COUNTS,
    source: {
      ...{ filename: null, content_type: CONTENT_TYPE, bytes: 0, sha256: EMPTY_SHA256 },
      ...{ encoding: 'utf-8', delimiter: ',', profile: PROFILE, channel_id },
    },
    file_id: null,
    idempotency_key: ctx.correlation.idempotency_key,
    replay_key: ctx.ids.next('req_'),
    contract_version: CONTRACT_VERSION,
    ...{ commits_run_id: null, reverts_run_id: null, error: null, detection: null },
    ...{ rows_done: 0, rows_total: null },
    created_by: ctx.by.id,
    request_id: ctx.correlation.request_id,
    cancel_requested_at: null,
    received_at: ctx.at(),
    started_at: null,
    finished_at: null,
  };
  await insertRun(ctx, run);
  return toWireRun(run);
}

/** Writes how many rows were read. @returns false if the run has a file already, or has ended */
export const noteRowsRead = (
  { withSeller }: Services,
  sellerId: string,
  runId: string,
  rows: number,
): Promise<boolean> =>
  withSeller(sellerId, 'single', (db) => writeRead({ db, seller_id: sellerId }, runId, rows));

/**
 * Gives a run its file, and lets the worker execute it.
 *
 * @param header the first record of the file
 * @returns false if the run has a file already, or has ended
 */
export function fillChannelRun(
  services: Services,
  sellerId: string,
  runId: string,
  { header, spool }: { readonly header: readonly string[]; readonly spool: Spool },
): Promise<boolean> {
  return services.withSellerLong(sellerId, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id: sellerId });
    const run = await loadRun(ctx, runId);
    const standing = await readStanding(db, sellerId);
    if (run === undefined || standing === undefined) return false;
    const limits = feedLimits(productSettings.of(services.config), standing.plan);
    const format = { encoding: 'utf-8', delimiter: ',', quoting: true, limits } as const;
    const file = { profile: PROFILE, generation: 'channel', format, header, header_record: 1 } as const;
    const detection: RunDetection = { file: { ...file, update_only: false, choices: {}, stop: [] } };
    const fileId = ctx.ids.next('fil_');
    const { bytes, sha256 } = spool;
    const source = { ...run.source, bytes, sha256: sha256.toString('hex') };
    if (!(await fillRun(ctx, runId, { fileId, source, detection }))) return false;
    const owner = { fileId, sellerId, purpose: 'feed', contentType: CONTENT_TYPE, now: ctx.now() } as const;
    const expiresAt = Date.parse(evidenceExpiry(services));
    await services.files.put(db, { ...owner, expiresAt }, spool.read());
    await planFinish(ctx, runId, ctx.now());
    return true;
  });
}

/** Ends a run whose file could not be read; it changed nothing. */
export function failChannelRun(
  services: Services,
  sellerId: string,
  runId: string,
  error: RunError,
): Promise<void> {
  return services.withSeller(sellerId, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id: sellerId });
    const end = { finishedAt: ctx.at(), evidenceExpiresAt: ctx.at() };
    if (await endRun(ctx, runId, { ...end, status: 'failed', counts: NO_COUNTS, error }))
      await ctx.emit(runFailed.bare(runId, 1));
  });
}

export type ChannelRun = FeedRun;

/** A run of a channel; undefined if the run has none. */
export async function readChannelRun(at: SellerDb, runId: string) {
  const run = await loadRun(at, runId);
  const channel_id = run?.source.channel_id;
  return run && channel_id !== undefined ? { run, channel_id, shown: toWireRun(run) } : undefined;
}

/** Whether a run was reverted. */
export const isReverted = async (at: SellerDb, runId: string): Promise<boolean> =>
  (await findFollowUp(at, 'reverts_run_id', runId)) !== undefined;

export { lastImportOf };

/** A row of the file of a run, and what the run did with it. */
export interface ImportedRow {
  readonly row: FeedRow;
  readonly evidence: Evidence;
}

/** The bytes of a stored file. Each piece has a transaction of its own, so that no connection waits for the reader. */
async function* piecesOf({ withSellerLong, files }: Services, sellerId: string, fileId: string) {
  for (let seq = 0; ; seq += 1) {
    const piece = await withSellerLong(sellerId, 'read', (db) => files.chunk(db, fileId, seq));
    if (piece === undefined) return;
    yield piece;
  }
}

/** The run that has the file of a run: a commit applies the file of its preview. */
const filledRun = async (at: SellerDb, run: FeedRun): Promise<FeedRun | undefined> =>
  run.commits_run_id === null ? run : loadRun(at, run.commits_run_id);

/** The rows of an applied run of a channel with their evidence, in batches and in the order of the file. */
export async function* readChannelRows(
  services: Services,
  sellerId: string,
  run: ChannelRun,
): AsyncGenerator<{ readonly header: readonly string[]; readonly rows: readonly ImportedRow[] }> {
  const { filled, standing } = await services.withSellerLong(sellerId, 'read', async (db) => ({
    filled: await filledRun({ db, seller_id: sellerId }, run),
    standing: await readStanding(db, sellerId),
  }));
  const { file } = (filled?.detection ?? {}) as RunDetection;
  const fileId = filled?.file_id ?? null;
  if (fileId === null || standing === undefined || file === undefined || !('profile' in file)) return;
  const { currency } = standing;
  const mapped = mapFile(() => piecesOf(services, sellerId, fileId), file, { seller_currency: currency });
  const labels = PROFILES[file.profile].labels(file.header);
  for await (const rows of checkedRows(mapped, labels, currencyExponent(currency))) {
    const [first = 0, last = 0] = [rows[0]?.row_number, rows.at(-1)?.row_number];
    const filter = { runId: run.run_id };
    const evidence = await services.withSellerLong(sellerId, 'read', (db) =>
      loadEvidence({ db, seller_id: sellerId }, filter, first - 1, last - first + 1),
    );
    const byRow = new Map(evidence.map((one) => [one.row_number, one]));
    const found = rows.flatMap((row) => {
      const one = byRow.get(row.row_number);
      return one === undefined ? [] : [{ row, evidence: one }];
    });
    yield { header: file.header, rows: found };
  }
}

const REVERTED_BATCH = 1_000;

/** The products that a revert has deleted, and those that it has left, in batches. */
export async function* revertedProducts(
  { withSellerLong }: Services,
  sellerId: string,
  { run_id: runId }: ChannelRun,
): AsyncGenerator<{ readonly products: readonly string[]; readonly deleted: readonly string[] }> {
  for (let after = 0; ; ) {
    const rows = await withSellerLong(sellerId, 'read', (db) =>
      loadEvidence({ db, seller_id: sellerId }, { runId }, after, REVERTED_BATCH),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row_number;
    const of = (isDeleted: boolean) =>
      rows
        .filter(({ outcome }) => outcome !== 'not_attempted' && (outcome === 'deactivated') === isDeleted)
        .flatMap(({ product_id }) => product_id ?? []);
    yield { products: of(false), deleted: of(true) };
  }
}
