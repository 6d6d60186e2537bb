/** Which objects of an endpoint wait for what, as the database has it. */
import type { Services } from '../../../platform/services.ts';
import type { EndpointKey, EndpointRow } from '../store/endpoint-row.ts';
import { lockWithDeliveries, shareEndpoints } from '../store/endpoints.ts';
import { heldObjects, overObjects, unparkAll, unparkOrphans } from '../store/queue.ts';
import type { HeldEndpoint } from './held-endpoint.ts';

/** So long is waited for whoever writes results: a worker's other endpoints wait meanwhile. */
const LOCK_MS = 200;

/**
 * Makes due what waits behind nothing any more; of an endpoint without an order, all that waits.
 *
 * @throws Error at once where somebody is changing the endpoint, who may take long
 */
async function free(
  { withSystem, now }: Services,
  endpoint: EndpointKey,
  which: typeof unparkOrphans,
): Promise<void> {
  const { seller_id, endpoint_id } = endpoint;
  const unchanged = await withSystem('webhooks', 'read', (db) => db.all(shareEndpoints([endpoint])));
  if (unchanged.length === 0) throw new Error('somebody is changing the endpoint');
  await withSystem(
    'webhooks',
    'write',
    async (db) => {
      await lockWithDeliveries(db, seller_id, endpoint_id);
      await db.run(which(endpoint_id, now()));
    },
    { lockTimeoutMs: LOCK_MS },
  );
}

/** The objects that wait behind failed events, with their numbers; what waits behind nothing any more is made due. */
async function waitingIn(
  services: Services,
  endpoint: EndpointRow,
): Promise<readonly (readonly [string, bigint])[]> {
  const ordered = endpoint.ordering === 'per_object';
  await free(services, endpoint, ordered ? unparkOrphans : unparkAll);
  if (!ordered) return [];
  const statement = heldObjects(endpoint.endpoint_id, services.now());
  const objects = await services.withSystem('webhooks', 'read', (db) => db.all(statement));
  return objects.map(({ object_id, sequence }) => [object_id, sequence]);
}

/** The database is away, or somebody is changing the endpoint: a later look tries again. */
function refused({ log }: Services, { config: { endpoint_id } }: HeldEndpoint, error: unknown): void {
  log.warn({ err: (error as Error).message, endpoint_id }, 'what waits for what could not be found out');
}

/** Finds out what waits for what; until that is known no events are sent. */
export async function settle(services: Services, one: HeldEndpoint): Promise<void> {
  try {
    one.settleOn(await waitingIn(services, one.config));
  } catch (error) {
    refused(services, one, error);
  }
}

async function overIn(services: Services, one: HeldEndpoint): Promise<string[]> {
  const { endpoint_id, seller_id } = one.config;
  const failed = one.queue.failed;
  await free(services, one.config, one.ordered ? unparkOrphans : unparkAll);
  if (!one.ordered || failed.size === 0) return [];
  const statement = overObjects(seller_id, endpoint_id, failed);
  const over = await services.withSystem('webhooks', 'read', (db) => db.all(statement));
  return over.flatMap(({ object_id, sequence }) => (one.queue.over(object_id, sequence) ? [object_id] : []));
}

/**
 * Finds out what waits in vain: what memory takes for failed may have been passed over by its seller, or be no
 * longer kept, while it was under way.
 *
 * @returns objects that wait for nothing any more
 */
export async function waitingInVain(services: Services, one: HeldEndpoint): Promise<string[]> {
  try {
    return await overIn(services, one);
  } catch (error) {
    refused(services, one, error);
    return [];
  }
}
