/** Records orders of a store. Source: docs/design/channels.md#orders. */
import type { Acting } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import type { OrderProjection } from '../domain/project-order.ts';
import type { ChannelKey } from '../store/channels.ts';
import type { DeliveryRow, Outcome } from '../store/deliveries.ts';
import { findOrders, type StoreOrderRow, storeOrders } from '../store/orders.ts';
import { erasedOrders, recordMany } from '../store/waiting-deliveries.ts';
import { decideBatch, type TogetherOptions } from './decide-together.ts';

/** Deliveries of a transaction, which locks the channel for some 50 ms. */
const AT_ONCE = 200;

interface Judged {
  readonly delivery: DeliveryRow;
  readonly outcome: Outcome;
  /** Undefined: it is not recorded. */
  readonly row?: StoreOrderRow;
}

/** What becomes of orders that a store sent. */
async function judge(ctx: Acting, channel_id: string, sent: readonly DeliveryRow[]): Promise<Judged[]> {
  const ids = sent.map(({ body }) => (body as OrderProjection).external_order_id);
  const [erased, before] = await Promise.all([
    erasedOrders(ctx, channel_id, ids),
    findOrders(ctx, channel_id, ids),
  ]);
  const known = new Map(before.map((one) => [one.external_order_id, one]));
  return sent.map((delivery) => {
    const { total_minor: total, ...projection } = delivery.body as OrderProjection;
    const { external_order_id: id, external_updated_at } = projection;
    const order = known.get(id);
    if (erased.has(id)) return { delivery, outcome: { status: 'skipped', reason: 'order_erased' } };
    const decision = { store_order_id: order?.store_order_id ?? ctx.ids.next('sor_') };
    if (order !== undefined && order.external_updated_at > external_updated_at)
      return { delivery, outcome: { status: 'stale', reason: 'newer_order_recorded', decision } };
    const total_minor = total === null ? null : minor(total);
    const row = { ...projection, ...decision, channel_id, total_minor, recorded_at: ctx.at() };
    return { delivery, outcome: { status: 'recorded', decision }, row };
  });
}

const rowsOf = (judged: readonly Judged[]): StoreOrderRow[] => judged.flatMap(({ row }) => row ?? []);

/** Records an order, unless it is erased or a newer state of it is known. */
export async function decideOrder(ctx: Acting, channelId: string, delivery: DeliveryRow): Promise<Outcome> {
  const judged = await judge(ctx, channelId, [delivery]);
  await storeOrders.upsertMany(ctx, rowsOf(judged));
  return judged[0]?.outcome ?? { status: 'no_effect' };
}

/** Records orders that wait. @returns the ids of what was decided */
export const decideOrders = (
  services: Services,
  key: ChannelKey,
  options: TogetherOptions,
): Promise<ReadonlySet<string>> =>
  decideBatch<Judged>(services, key, options, {
    ...{ prefix: 'order:', limit: AT_ONCE },
    keyOf: ({ object_key }) => object_key,
    plainOf: async (ctx, found) =>
      (await judge(ctx, key.channel_id, found)).filter(({ row }) => row !== undefined),
    decide: async (ctx, _channel, taken) => {
      const decisions = taken.map(({ delivery: { delivery_id }, outcome: { decision = {} } }) => ({
        ...{ delivery_id, decision },
      }));
      await Promise.all([storeOrders.upsertMany(ctx, rowsOf(taken)), recordMany(ctx, decisions, ctx.at())]);
    },
  });
