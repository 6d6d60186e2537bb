/** Which objects of an endpoint wait for what, as the database has it. */
import type { Services } from '../../../platform/services.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import { heldObjects, overObjects, unparkAll, unparkOrphans } from '../store/queue.ts';
import type { HeldEndpoint } from './held-endpoint.ts';

/** The objects that wait behind a failed event; what waits behind nothing any more is made due. */
export async function waitingIn(
  { withSystem, now }: Services,
  { endpoint_id, ordering }: EndpointRow,
): Promise<ReadonlyMap<string, bigint>> {
  const free = ordering === 'per_object' ? unparkOrphans : unparkAll;
  await withSystem('webhooks', 'read', (db) => db.run(free(endpoint_id, now())));
  if (ordering !== 'per_object') return new Map();
  const objects = await withSystem('webhooks', 'read', (db) => db.all(heldObjects(endpoint_id)));
  return new Map(objects.map(({ object_id, sequence }) => [object_id, sequence]));
}

/**
 * Finds out what waits in vain: what memory takes for failed may have been passed over by its seller, or be no
 * longer kept, while it was under way.
 *
 * @returns objects that wait for nothing any more
 */
export async function waitingInVain({ withSystem, now }: Services, one: HeldEndpoint): Promise<string[]> {
  const { endpoint_id, seller_id } = one.config;
  if (!one.ordered) return [];
  const failed = one.queue.failed;
  await withSystem('webhooks', 'read', (db) => db.run(unparkOrphans(endpoint_id, now())));
  if (failed.size === 0) return [];
  const statement = overObjects(seller_id, endpoint_id, failed);
  const over = await withSystem('webhooks', 'read', (db) => db.all(statement));
  return over.flatMap(({ object_id, sequence }) => (one.queue.over(object_id, sequence) ? [object_id] : []));
}
