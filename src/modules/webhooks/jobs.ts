/** Jobs of webhooks. */
import type { Acting } from '../../kernel/context.ts';
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../../platform/acting.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { disableEndpoint } from './actions/disable-endpoint.ts';
import { REPLAY_JOB, runReplay } from './actions/replay.ts';
import { resealSecrets } from './actions/reseal-secrets.ts';
import { DISABLE_AFTER_MS, DISABLE_JOB } from './domain/failing.ts';
import { type EndpointRow, findEndpoint, markHealthy } from './store/endpoints.ts';
import { deleteOldDeliveries, deleteOldReplays, RETENTION_BATCH } from './store/retention.ts';
import { standingRestored } from './store/standing-restored.ts';

const DAY_MS = 24 * 3_600_000;
/** Deliveries are kept as long as events. */
const KEPT_MS = 30 * DAY_MS;

async function isInStanding({ db, seller_id }: Acting): Promise<boolean> {
  const standing = await readStanding(db, seller_id);
  return standing !== undefined && standing.status === 'active' && standing.verified && standing.api_access;
}

/** The instant since which all attempts have failed, without the days in which the seller was suspended. */
async function failingSince(
  { db, seller_id }: Acting,
  row: EndpointRow | undefined,
): Promise<number | undefined> {
  if (row?.status !== 'active' || row.failing_since === null) return undefined;
  const restored = await db.one(standingRestored(seller_id, row.failing_since));
  return Date.parse(restored?.at ?? row.failing_since);
}

/** @returns the instant of the next check of the endpoint; undefined when it does not fail */
async function disableIfFailing(ctx: Acting, endpoint_id: string): Promise<number | undefined> {
  if (!(await isInStanding(ctx))) {
    // The service tried nothing while the seller was suspended: the five days begin with the next failure.
    await ctx.db.run(markHealthy({ seller_id: ctx.seller_id, endpoint_id }));
    return undefined;
  }
  const before = await findEndpoint(ctx, endpoint_id);
  const since = await failingSince(ctx, before);
  if (since !== undefined && since <= ctx.now() - DISABLE_AFTER_MS) {
    const still = ({ failing_since }: EndpointRow): boolean => failing_since === before?.failing_since;
    await disableEndpoint(ctx, endpoint_id, 'failing', still);
  }
  // The receiver was healthy in between and fails again, or the service tried nothing for a while.
  const again = await failingSince(ctx, await findEndpoint(ctx, endpoint_id));
  return again === undefined ? undefined : again + DISABLE_AFTER_MS;
}

const disableFailing = defineJob({
  kind: DISABLE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    if (seller_id === null) return undefined;
    const againAt = await services.withSystem('webhooks', 'write', (db) =>
      disableIfFailing(acting(services, { db, seller_id }), String(payload['endpoint_id'])),
    );
    return againAt === undefined ? undefined : { againAt };
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

const deleteOld = defineJob({
  kind: 'webhooks.forget_deliveries',
  recurring: true,
  catchesUp: true,
  handler: async ({ withSystem, now, log }, _job, signal) => {
    const before = new Date(now() - KEPT_MS).toISOString();
    let total = 0;
    while (!signal.aborted) {
      const row = await withSystem('retention', 'single', (db) => db.one(deleteOldDeliveries(before)));
      total += row?.deleted ?? 0;
      if ((row?.deleted ?? 0) < RETENTION_BATCH) break;
    }
    await withSystem('retention', 'single', (db) => db.run(deleteOldReplays(before)));
    log.info({ deleted: total }, 'old deliveries deleted');
    return { againAt: now() + DAY_MS };
  },
});

const reseal = defineJob({
  kind: 'webhooks.reseal_secrets',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    const resealed = await resealSecrets(services, signal);
    if (resealed > 0) services.log.info({ resealed }, 'webhook secrets are sealed with the present key');
    return { againAt: services.now() + DAY_MS };
  },
});

export const jobs: readonly AnyJob[] = [disableFailing, replay, reseal, deleteOld];
