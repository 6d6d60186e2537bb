/**
 * Decides about the orders of a store in batches: one transaction with statements over sets records those of which
 * nothing but themselves is to be decided. All others, and each of a batch that fails, are decided one by one.
 * Source: docs/design/channels.md#decisions.
 */
import { minor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import type { OrderProjection } from '../domain/project-order.ts';
import type { ChannelKey, ChannelRow } from '../store/channels.ts';
import type { DeliveryRow } from '../store/deliveries.ts';
import { openIssuesAbout } from '../store/issues.ts';
import { findOrders, storeOrders } from '../store/orders.ts';
import { rememberBodies } from '../store/repeated-bodies.ts';
import { endJobs, erasedOrders, recordMany, waitingTogether } from '../store/waiting-deliveries.ts';
import { changeChannel } from './ask-store.ts';

/** Deliveries of a transaction, which locks the channel for some 50 ms. */
const AT_ONCE = 200;

export interface TogetherOptions {
  /** The key of an object. */
  readonly from: string;
  /** A body that was sent after this instant is a repetition. */
  readonly since: string;
  /** Whether the channel takes such deliveries now. */
  readonly isTaken: (row: ChannelRow) => boolean;
}

const projectionOf = ({ body }: DeliveryRow): OrderProjection => body as OrderProjection;

/** One delivery of each body. */
export const distinct = (waiting: readonly DeliveryRow[]): DeliveryRow[] => [
  ...new Map(waiting.map((one) => [one.body_sha256, one])).values(),
];

/**
 * Records orders that wait, the oldest delivery of each, from an object on.
 *
 * @returns the ids of what was decided
 */
export async function decideOrders(
  services: Services,
  key: ChannelKey,
  { from, since, isTaken }: TogetherOptions,
): Promise<ReadonlySet<string>> {
  const { channel_id } = key;
  const decided = await changeChannel(
    services,
    key,
    async (ctx, channel, waiting: readonly DeliveryRow[] = []) => {
      const found = isTaken(channel) ? distinct(waiting) : [];
      if (found.length === 0) return [];
      const ids = found.map((one) => projectionOf(one).external_order_id);
      const [erased, before, issues] = await Promise.all([
        erasedOrders(ctx, channel_id, ids),
        findOrders(ctx, channel_id, ids),
        openIssuesAbout(
          ctx,
          channel_id,
          found.map(({ object_key }) => object_key),
        ),
      ]);
      const known = new Map(before.map((one) => [one.external_order_id, one]));
      const plain = found.filter((one) => {
        const { external_order_id: id, external_updated_at: at } = projectionOf(one);
        const order = known.get(id);
        const isStale = order !== undefined && order.external_updated_at > at;
        return !erased.has(id) && !isStale && !issues.has(`not_applied/${one.object_key}`);
      });
      const isNew = await rememberBodies(ctx.db, plain, ctx.at(), since);
      const taken = plain.filter(({ delivery_id }) => isNew.has(delivery_id));
      const rows = taken.map((delivery) => {
        const projection = projectionOf(delivery);
        const { total_minor: total } = projection;
        const store_order_id =
          known.get(projection.external_order_id)?.store_order_id ?? ctx.ids.next('sor_');
        const total_minor = total === null ? null : minor(total);
        return { ...projection, store_order_id, channel_id, total_minor, recorded_at: ctx.at() };
      });
      const ended = taken.map(({ object_key }) => object_key);
      const decisions = taken.map(({ delivery_id }, index) => {
        const { store_order_id = '' } = rows[index] ?? {};
        return { delivery_id, decision: { store_order_id } };
      });
      await Promise.all([
        storeOrders.upsertMany(ctx, rows),
        recordMany(ctx, decisions, ctx.at()),
        // Each of these jobs would be claimed, find nothing, and be ended by itself.
        endJobs(ctx.db, channel.shop_domain, ended),
      ]);
      return taken.map(({ delivery_id }) => delivery_id);
    },
    {
      first: (ctx) => waitingTogether(ctx, channel_id, { prefix: 'order:', from, limit: AT_ONCE }),
      lookUp: true,
    },
  );
  return new Set(decided);
}
