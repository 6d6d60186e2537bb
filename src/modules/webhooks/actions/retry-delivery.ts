import type { Acting } from '../../../kernel/context.ts';
import { fail, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import type { RowLock } from '../../../platform/db/table.ts';
import { errors } from '../errors.ts';
import { type DeliveryRow, deliveries, eventIsKept, requeueOne } from '../store/deliveries.ts';
import { findEndpoint } from '../store/endpoints.ts';

/** @throws ApiError 404 `not_found` */
export async function readDelivery(ctx: Acting, deliveryId: string, lock?: RowLock): Promise<DeliveryRow> {
  return requireFound(await deliveries.find(ctx, { delivery_id: idOf('dlv_', deliveryId) }, lock));
}

/**
 * Makes a delivery of any status due now. Its schedule begins again.
 *
 * @throws ApiError 404 `not_found`, 409 `endpoint_not_active` or `event_expired`
 */
export async function retryDelivery(ctx: Acting, deliveryId: string): Promise<DeliveryRow> {
  const { endpoint_id } = await readDelivery(ctx, deliveryId);
  // Lock the endpoint before its delivery. A concurrent deletion cancels the open deliveries, and would miss this one.
  const endpoint = await findEndpoint(ctx, endpoint_id, 'for key share');
  const row = await readDelivery(ctx, deliveryId, 'for no key update');
  const status = endpoint?.status ?? 'deleted';
  if (status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status } });
  if (row.sequence !== null && !(await eventIsKept(ctx, row.sequence))) throw fail(errors.event_expired);
  await requeueOne(ctx, deliveryId, ctx.at());
  return readDelivery(ctx, deliveryId);
}
