import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { errors } from '../errors.ts';
import {
  type DeliveryRow,
  eventIsKept,
  findDelivery,
  lockDelivery,
  requeueOne,
} from '../store/deliveries.ts';
import { shareEndpoint } from '../store/endpoints.ts';

const DELIVERY_ID = new RegExp(idPattern('dlv_'));

/** @throws ApiError 404 `not_found` */
export async function readDelivery(
  ctx: SellerCtx,
  deliveryId: string,
  read: typeof findDelivery = findDelivery,
): Promise<DeliveryRow> {
  const row = DELIVERY_ID.test(deliveryId) ? await read(ctx.db, ctx.seller.seller_id, deliveryId) : undefined;
  if (row === undefined) throw fail(coreErrors.not_found);
  return row;
}

/**
 * Sends a delivery again at once, whatever has become of it; its schedule begins anew.
 *
 * @throws ApiError 404 `not_found`, 409 `endpoint_not_active` or `event_expired`
 */
export async function retryDelivery(ctx: SellerCtx, deliveryId: string): Promise<DeliveryRow> {
  const { seller_id } = ctx.seller;
  const { endpoint_id } = await readDelivery(ctx, deliveryId);
  // The endpoint before its delivery: whoever deletes it has cancelled what was open, and would not see this one.
  const endpoint = await shareEndpoint(ctx.db, seller_id, endpoint_id);
  const row = await readDelivery(ctx, deliveryId, lockDelivery);
  const status = endpoint?.status ?? 'deleted';
  if (status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status } });
  if (row.sequence !== null && !(await eventIsKept(ctx.db, seller_id, row.sequence)))
    throw fail(errors.event_expired);
  await requeueOne(ctx.db, seller_id, deliveryId, ctx.now());
  return readDelivery(ctx, deliveryId);
}
