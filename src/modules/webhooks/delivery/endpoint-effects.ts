/** What an attempt says about its endpoint, where that is news. */
import type { Services } from '../../../platform/services.ts';
import { disableEndpoint } from '../actions/disable-endpoint.ts';
import type { Decision } from '../domain/decide.ts';
import { DISABLE_AFTER_MS, DISABLE_JOB } from '../domain/failing.ts';
import { markFailing, markHealthy } from '../store/results.ts';
import type { HeldEndpoint } from './held-endpoint.ts';
import type { Effect } from './result-batch.ts';

export function endpointEffect(
  services: Services,
  one: HeldEndpoint,
  said: Decision['endpoint'],
): Effect | undefined {
  const { seller_id: sellerId, endpoint_id: endpointId } = one.config;
  const { jobs, now } = services;
  if (said === 'gone') {
    one.gone = true;
    one.queue.clear();
    return (db) => disableEndpoint(db, services, { sellerId, endpointId }, 'gone');
  }
  if (said === 'failing' && !one.failing) {
    one.failing = true;
    const since = now();
    return async (db) => {
      await db.run(markFailing(sellerId, endpointId, since));
      const dueAt = since + DISABLE_AFTER_MS;
      await jobs.add(db, {
        kind: DISABLE_JOB,
        sellerId,
        payload: { endpoint_id: endpointId },
        uniqueKey: endpointId,
        dueAt,
      });
    };
  }
  if (said !== 'healthy' || !one.failing) return undefined;
  one.failing = false;
  return async (db) => {
    await db.run(markHealthy(sellerId, endpointId));
    await jobs.cancel(db, DISABLE_JOB, endpointId);
  };
}
