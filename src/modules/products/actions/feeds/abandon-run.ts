import type { Standing } from '../../../../kernel/context.ts';
import { acting } from '../../../../platform/acting.ts';
import type { Services } from '../../../../platform/services.ts';
import { feedLimits } from '../../domain/feed-run/limits.ts';
import { type FeedRun, isTerminal, NO_COUNTS } from '../../domain/feed-run/run.ts';
import { productSettings } from '../../settings.ts';
import { loadRun, tryLockRun } from '../../store/feed-runs.ts';
import { ABANDONED, closeRun, LOOK_AGAIN_MS } from './run-end.ts';

/** Whether the request may still wait for its turn. It holds no lock then, and gives up at the time limit. */
function mayWait(services: Services, { plan }: Standing, { status, received_at }: FeedRun): boolean {
  const { max_sync_seconds } = feedLimits(productSettings.of(services.config), plan);
  const givesUpAt = Date.parse(received_at) + max_sync_seconds * 1000;
  return status === 'received' && services.now() < givesUpAt + LOOK_AGAIN_MS;
}

/**
 * Ends a synchronous run whose process died: the run fails with the code `abandoned`, and its key is free. Nothing of
 * it is applied, because its client got no answer and may have fed a corrected file.
 *
 * @returns false while a process may still work on the run
 */
export function abandonRun(
  services: Services,
  sellerId: string,
  runId: string,
  standing: Standing,
): Promise<boolean> {
  return services.withSeller(sellerId, 'write', async (db) => {
    if (!(await tryLockRun(db, runId))) return false;
    const run = await loadRun({ db, seller_id: sellerId }, runId);
    if (run === undefined || isTerminal(run.status)) return true;
    if (mayWait(services, standing, run)) return false;
    const correlation = { request_id: run.request_id, idempotency_key: run.idempotency_key };
    const ctx = acting(services, { db, seller_id: sellerId, correlation });
    await closeRun(services, { standing }, ctx, run, { ...ABANDONED, counts: NO_COUNTS });
    return true;
  });
}
