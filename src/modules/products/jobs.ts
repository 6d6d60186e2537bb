/** Jobs of the catalogue: execute feed runs, delete expired evidence. */

import type { Standing } from '../../kernel/context.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { executeRun } from './actions/feeds/execute-run.ts';
import { FINISH_JOB, RunBusy } from './actions/feeds/run-end.ts';
import { isTerminal } from './domain/feed-run/run.ts';
import { loadRun } from './store/feed-runs.ts';
import { purgeEvidence } from './store/purge-evidence.ts';

/** A run that must wait for another run of the seller is tried again after this time. */
const RETRY_BUSY_MS = 2_000;
const PURGE_EVERY_MS = 3_600_000;

async function standingOf(services: Services, sellerId: string): Promise<Standing | undefined> {
  return services.withSeller(sellerId, 'read', (db) => readStanding(db, sellerId));
}

/** Executes an asynchronous run, or a run whose process died. */
export const finishFeedRun = defineJob({
  kind: FINISH_JOB,
  recurring: false,
  async handler(services, job, signal) {
    const sellerId = job.seller_id ?? '';
    const runId = String(job.payload['run_id']);
    const standing = await standingOf(services, sellerId);
    if (standing === undefined) return undefined;
    try {
      await executeRun(services, {
        sellerId,
        runId,
        standing,
        seconds: services.config.MAX_ASYNC_SECONDS,
        waits: false,
        signal,
        log: services.log,
      });
    } catch (error) {
      if (!(error instanceof RunBusy)) throw error;
      const run = await services.withSeller(sellerId, 'read', (db) => loadRun(db, runId));
      if (run !== undefined && !isTerminal(run.status)) return { againAt: services.now() + RETRY_BUSY_MS };
    }
    return undefined;
  },
});

/** Row results and uploads are kept for EVIDENCE_RETENTION_DAYS; the run itself stays. */
export const purgeFeedEvidence = defineJob({
  kind: 'feed.purge_evidence',
  recurring: true,
  async handler(services) {
    const at = new Date(services.now()).toISOString();
    await services.longSystem('retention', 'read', (db) => purgeEvidence(db, at));
    return { againAt: services.now() + PURGE_EVERY_MS };
  },
});

export const jobs = [finishFeedRun, purgeFeedEvidence];
