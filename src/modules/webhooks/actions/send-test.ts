import type { SellerCtx } from '../../../kernel/context.ts';
import { EVENT_API_VERSION } from '../../../platform/outbox/read-events.ts';
import { PING } from '../events.ts';
import { type DeliveryRow, insertTest } from '../store/deliveries.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import { readDelivery } from './retry-delivery.ts';

/** Test events are none of the seller's: they have no number among the others. */
const NO_SEQUENCE = 0;

/** Sends a `ping` to an endpoint of any status: once, and whatever comes back changes nothing about it. */
export async function sendTest(ctx: SellerCtx, { endpoint_id }: EndpointRow): Promise<DeliveryRow> {
  const { seller_id: sellerId } = ctx.seller;
  const now = ctx.now();
  const deliveryId = ctx.ids.next('dlv_');
  const eventId = ctx.ids.next('evt_');
  const body = JSON.stringify({
    id: eventId,
    type: PING,
    sequence: NO_SEQUENCE,
    created_at: new Date(now).toISOString(),
    api_version: EVENT_API_VERSION,
    seller_id: sellerId,
    object_version: 1,
    data: { object: { endpoint_id, message: 'The endpoint can be reached.' } },
    correlation: ctx.correlation,
    test: true,
  });
  const test = { sellerId, deliveryId, endpointId: endpoint_id, eventId, type: PING, body, now };
  await insertTest(ctx.db, test);
  return readDelivery(ctx, deliveryId);
}
