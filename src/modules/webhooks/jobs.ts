/** Work of webhooks that waits for its instant. */
import type { AnyJob } from '../../kernel/route.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { disableEndpoint } from './actions/disable-endpoint.ts';
import { REPLAY_JOB, runReplay } from './actions/replay.ts';
import { resealSecrets } from './actions/reseal-secrets.ts';
import { DISABLE_AFTER_MS, DISABLE_JOB } from './domain/failing.ts';
import { backSince } from './store/back-since.ts';
import type { EndpointRow } from './store/endpoint-row.ts';
import { findEndpoint } from './store/endpoints.ts';
import { markHealthy } from './store/results.ts';
import { forgetDeliveries, forgetReplays, RETENTION_BITE } from './store/retention.ts';

const DAY_MS = 24 * 3_600_000;
/** As long as the events themselves. */
const KEPT_MS = 30 * DAY_MS;

async function inStanding({ withSystem }: Services, sellerId: string): Promise<boolean> {
  const standing = await withSystem('webhooks', 'read', (db) => readStanding(db, sellerId));
  return standing !== undefined && standing.status === 'active' && standing.verified && standing.api_access;
}

/** Since when everything has failed; the days in which its seller was suspended are none of them. */
async function triedSince(
  { withSystem }: Services,
  { seller_id, failing_since }: EndpointRow,
): Promise<number | undefined> {
  if (failing_since === null) return undefined;
  const back = await withSystem('webhooks', 'read', (db) => db.one(backSince(seller_id, failing_since)));
  return Date.parse(back?.at ?? failing_since);
}

const disableFailing = defineJob({
  kind: DISABLE_JOB,
  recurring: false,
  handler: async (services, { seller_id: sellerId, payload }) => {
    const { withSystem, now } = services;
    const endpointId = String(payload['endpoint_id']);
    if (sellerId === null) return undefined;
    const of = { sellerId, endpointId };
    if (!(await inStanding(services, sellerId))) {
      // Nothing was tried for as long as its seller was suspended: the days begin anew when something fails again.
      await withSystem('webhooks', 'read', (db) => db.run(markHealthy(sellerId, endpointId)));
      return undefined;
    }
    const find = () => withSystem('webhooks', 'read', (db) => findEndpoint(db, sellerId, endpointId));
    const before = await find();
    const since = before && (await triedSince(services, before));
    if (since !== undefined && since <= now() - DISABLE_AFTER_MS) {
      const still = (row: EndpointRow): boolean => row.failing_since === before?.failing_since;
      await withSystem('webhooks', 'write', (db) => disableEndpoint(db, services, of, 'failing', still));
    }
    const row = await find();
    const again = row?.status === 'active' ? await triedSince(services, row) : undefined;
    // It was well in between, and has begun to fail again, or nothing was tried for a while.
    return again === undefined ? undefined : { againAt: again + DISABLE_AFTER_MS };
  },
});

const replay = defineJob({
  kind: REPLAY_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }, signal) => {
    if (seller_id !== null) await runReplay(services, seller_id, String(payload['replay_id']), signal);
    return undefined;
  },
});

const forget = defineJob({
  kind: 'webhooks.forget_deliveries',
  recurring: true,
  handler: async ({ withSystem, now, log }, _job, signal) => {
    const before = now() - KEPT_MS;
    let total = 0;
    while (!signal.aborted) {
      const row = await withSystem('retention', 'read', (db) => db.one(forgetDeliveries(before)));
      total += row?.deleted ?? 0;
      if ((row?.deleted ?? 0) < RETENTION_BITE) break;
    }
    await withSystem('retention', 'read', (db) => db.run(forgetReplays(before)));
    log.info({ deleted: total }, 'old deliveries deleted');
    return { againAt: now() + DAY_MS };
  },
});

const reseal = defineJob({
  kind: 'webhooks.reseal_secrets',
  recurring: true,
  handler: async (services, _job, signal) => {
    const resealed = await resealSecrets(services, signal);
    if (resealed > 0) services.log.info({ resealed }, 'webhook secrets sealed with the present key');
    return { againAt: services.now() + DAY_MS };
  },
});

export const jobs: readonly AnyJob[] = [disableFailing, replay, reseal, forget];
