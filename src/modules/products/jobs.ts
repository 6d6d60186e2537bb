/** Jobs: execute feed runs, delete expired evidence and expired images. */
import type { Db, Standing } from '../../kernel/context.ts';
import { recordActivity } from '../../platform/audit/record-activity.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { purgeExpiredFiles } from '../../platform/files/file-lifetimes.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { abandonRun } from './actions/feeds/abandon-run.ts';
import { executeRun } from './actions/feeds/execute-run.ts';
import { type ExecuteInput, FINISH_JOB, LOOK_AGAIN_MS, RunBusy } from './actions/feeds/run-end.ts';
import { type FeedRun, isTerminal } from './domain/feed-run/run.ts';
import { productSettings } from './settings.ts';
import { loadRun } from './store/feed-runs.ts';
import { purgeEvidence } from './store/purge-evidence.ts';

/** Retry interval of a run that waits for another run of the seller. */
const RETRY_BUSY_MS = 2_000;
const HOUR_MS = 3_600_000;

async function standingOf(services: Services, sellerId: string): Promise<Standing | undefined> {
  return services.withSeller(sellerId, 'read', (db) => readStanding(db, sellerId));
}

const runOf = (services: Services, sellerId: string, runId: string): Promise<FeedRun | undefined> =>
  services.withSeller(sellerId, 'read', (db) => loadRun({ db, seller_id: sellerId }, runId));

/** Writes what an accepted file has done. The entry of its request is older, and has the same request id. */
const recordRun: ExecuteInput['record'] = async (ctx, { dry_run, created_by, run_id, counts, error }) => {
  if (dry_run) return;
  await recordActivity(ctx, {
    ...{ actor_kind: 'member', actor_id: created_by, action: 'products.feed_runs.apply' },
    ...{ target_type: 'feed_run', target_id: run_id, counts: { ...counts } },
    ...{ result: error === null ? 'done' : 'refused', code: error?.code ?? null },
  });
};

/** Executes an asynchronous run, or ends a synchronous one whose process died. */
const finishFeedRun = defineJob({
  kind: FINISH_JOB,
  recurring: false,
  async handler(services, job, signal) {
    const sellerId = job.seller_id ?? '';
    const runId = String(job.payload['run_id']);
    const standing = await standingOf(services, sellerId);
    const found = await runOf(services, sellerId, runId);
    if (standing === undefined || found === undefined || isTerminal(found.status)) return undefined;
    if (!found.async) {
      const ended = await abandonRun(services, sellerId, runId, standing);
      return ended ? undefined : { againAt: services.now() + LOOK_AGAIN_MS };
    }
    try {
      await executeRun(services, {
        sellerId,
        runId,
        standing,
        seconds: productSettings.of(services.config).MAX_ASYNC_SECONDS,
        waits: false,
        signal,
        log: services.log,
        record: recordRun,
      });
    } catch (error) {
      if (!(error instanceof RunBusy)) throw error;
      const run = await runOf(services, sellerId, runId);
      if (run !== undefined && !isTerminal(run.status)) return { againAt: services.now() + RETRY_BUSY_MS };
    }
    return undefined;
  },
});

const purge = (kind: string, everyMs: number, work: (db: Db, at: string) => Promise<unknown>) =>
  defineJob({
    kind,
    recurring: true,
    catchesUp: true,
    async handler(services) {
      const at = new Date(services.now()).toISOString();
      await services.withSystemLong('retention', 'single', (db) => work(db, at));
      return { againAt: services.now() + everyMs };
    },
  });

export const jobs = [
  finishFeedRun,
  // Row results and uploads are kept for EVIDENCE_RETENTION_DAYS; the run itself stays.
  purge('feed.purge_evidence', HOUR_MS, purgeEvidence),
  purge('products.purge_images', 6 * HOUR_MS, (db, at) => purgeExpiredFiles(db, 'image', at)),
];
