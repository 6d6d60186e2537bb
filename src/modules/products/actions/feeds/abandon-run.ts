import type { Standing } from '../../../../kernel/context.ts';
import { acting } from '../../../../platform/acting.ts';
import type { Services } from '../../../../platform/services.ts';
import { isTerminal, NO_COUNTS } from '../../domain/feed-run/run.ts';
import { loadRun, tryLockRun } from '../../store/feed-runs.ts';
import { ABANDONED, closeRun } from './run-end.ts';

/**
 * Ends a synchronous run whose process died: the run fails with the code `abandoned`, and its key is free. Nothing of
 * it is applied, because its client got no answer and may have fed a corrected file.
 *
 * @returns false while a process has locked the run. A request without the lock postpones the job (`holdRun`)
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
    // A run that was accepted just now has another job.
    if (run === undefined || run.async || isTerminal(run.status)) return true;
    const correlation = { request_id: run.request_id, idempotency_key: run.idempotency_key };
    const ctx = acting(services, { db, seller_id: sellerId, correlation });
    await closeRun(services, { standing }, ctx, run, { ...ABANDONED, counts: NO_COUNTS });
    return true;
  });
}
