/** Which objects of an endpoint wait for what, as the database has it. */
import type { Services } from '../../../platform/services.ts';
import type { EndpointKey, EndpointRow } from '../store/endpoint-row.ts';
import { lockWithDeliveries } from '../store/endpoints.ts';
import { heldObjects, overObjects, unparkAll, unparkOrphans } from '../store/queue.ts';
import type { HeldEndpoint } from './held-endpoint.ts';

/** Makes due what waits behind nothing any more; of an endpoint without an order, all that waits. */
const free = (
  { withSystem, now }: Services,
  { seller_id, endpoint_id }: EndpointKey,
  which: typeof unparkOrphans,
): Promise<number> =>
  withSystem('webhooks', 'write', async (db) => {
    await lockWithDeliveries(db, seller_id, endpoint_id);
    return db.run(which(endpoint_id, now()));
  });

/** The objects that wait behind a failed event; what waits behind nothing any more is made due. */
export async function waitingIn(
  services: Services,
  endpoint: EndpointRow,
): Promise<ReadonlyMap<string, bigint>> {
  const ordered = endpoint.ordering === 'per_object';
  await free(services, endpoint, ordered ? unparkOrphans : unparkAll);
  if (!ordered) return new Map();
  const statement = heldObjects(endpoint.endpoint_id);
  const objects = await services.withSystem('webhooks', 'read', (db) => db.all(statement));
  return new Map(objects.map(({ object_id, sequence }) => [object_id, sequence]));
}

/**
 * Finds out what waits in vain: what memory takes for failed may have been passed over by its seller, or be no
 * longer kept, while it was under way.
 *
 * @returns objects that wait for nothing any more
 */
export async function waitingInVain(services: Services, one: HeldEndpoint): Promise<string[]> {
  const { endpoint_id, seller_id } = one.config;
  if (!one.ordered) return [];
  const failed = one.queue.failed;
  await free(services, one.config, unparkOrphans);
  if (failed.size === 0) return [];
  const statement = overObjects(seller_id, endpoint_id, failed);
  const over = await services.withSystem('webhooks', 'read', (db) => db.all(statement));
  return over.flatMap(({ object_id, sequence }) => (one.queue.over(object_id, sequence) ? [object_id] : []));
}
