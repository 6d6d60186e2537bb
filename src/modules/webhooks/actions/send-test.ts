import type { Acting } from '../../../kernel/context.ts';
import { EVENT_API_VERSION } from '../../../platform/outbox/read-events.ts';
import { ping } from '../events.ts';
import { type DeliveryRow, insertTest } from '../store/deliveries.ts';
import type { EndpointRow } from '../store/endpoints.ts';
import { readDelivery } from './retry-delivery.ts';

/** A test event has no number among the seller's events. */
const NO_SEQUENCE = 0;

/** Sends a `ping` once to an endpoint of any status; the answer does not change the endpoint. */
export async function sendTest(ctx: Acting, { endpoint_id }: EndpointRow): Promise<DeliveryRow> {
  const delivery_id = ctx.ids.next('dlv_');
  const event_id = ctx.ids.next('evt_');
  const { type } = ping;
  const body = JSON.stringify({
    id: event_id,
    type,
    sequence: NO_SEQUENCE,
    created_at: ctx.at(),
    api_version: EVENT_API_VERSION,
    seller_id: ctx.seller_id,
    object_version: 1,
    data: { object: { endpoint_id, message: 'The endpoint can be reached.' } },
    correlation: ctx.correlation,
    test: true,
  });
  await insertTest(ctx, { delivery_id, endpoint_id, event_id, type, body });
  return readDelivery(ctx, delivery_id);
}
