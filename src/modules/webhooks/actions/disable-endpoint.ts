import type { Db } from '../../../kernel/context.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { Services } from '../../../platform/services.ts';
import { ENDPOINT_DISABLED } from '../events.ts';
import { endpointView } from '../schemas/endpoint.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import { lockEndpoint, writeStatus } from '../store/endpoints.ts';

const NOBODY = { request_id: null, idempotency_key: null };

/**
 * Stops calling an endpoint, and tells its seller. What it has missed stays, to be delivered when it is resumed.
 *
 * @param still whether the reason holds for the endpoint as it stands now
 */
export async function disableEndpoint(
  db: Db,
  { ids, now }: Pick<Services, 'ids' | 'now'>,
  of: { readonly sellerId: string; readonly endpointId: string },
  reason: 'failing' | 'gone',
  still: (row: EndpointRow) => boolean = () => true,
): Promise<void> {
  const row = await lockEndpoint(db, of.sellerId, of.endpointId);
  if (row?.status !== 'active' || !still(row)) return;
  const at = now();
  const iso = new Date(at).toISOString();
  const disabled: EndpointRow = {
    ...row,
    status: 'disabled',
    reason,
    status_changed_at: iso,
    updated_at: iso,
    version: row.version + 1,
  };
  await writeStatus(db, disabled);
  const event = {
    type: ENDPOINT_DISABLED,
    object_id: row.endpoint_id,
    object_version: disabled.version,
    data: {
      object: endpointView(disabled),
      previous: { status: row.status, disabled_reason: null, version: row.version },
    },
  };
  await appendEvents(db, { sellerId: of.sellerId, ids, now: at, correlation: NOBODY }, [event]);
}
