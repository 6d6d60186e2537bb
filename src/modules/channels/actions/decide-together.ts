/**
 * Decides about many deliveries of a store in one transaction: those of which nothing but themselves is to be decided. All
 * others, and each of a batch that fails, are decided one by one. Source: docs/design/channels.md#decisions.
 */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import type { ChannelKey, ChannelRow } from '../store/channels.ts';
import type { DeliveryRow } from '../store/deliveries.ts';
import { openIssuesAbout } from '../store/issues.ts';
import { rememberBodies } from '../store/repeated-bodies.ts';
import { endJobs, type Together, waitingTogether } from '../store/waiting-deliveries.ts';
import { changeChannel } from './ask-store.ts';

export interface TogetherOptions {
  /** The key of an object; the oldest delivery of each is taken, from this one on. */
  readonly from: string;
  /** A body that was sent after this instant is a repetition. */
  readonly since: string;
  /** Whether the channel takes such deliveries now. */
  readonly isTaken: (row: ChannelRow) => boolean;
}

interface Batch<One> extends Omit<Together, 'from'> {
  /** Deliveries with the same key are not decided together. Their bodies differ anyway. */
  readonly keyOf: (delivery: DeliveryRow) => string;
  /** Those of which nothing but themselves is to be decided. */
  readonly plainOf: (ctx: Acting, found: readonly DeliveryRow[]) => Promise<readonly One[]>;
  readonly decide: (ctx: Acting, channel: ChannelRow, taken: readonly One[]) => Promise<unknown>;
}

const oneOfEach = (
  waiting: readonly DeliveryRow[],
  keyOf: (delivery: DeliveryRow) => string,
): DeliveryRow[] => [...new Map(waiting.map((one) => [keyOf(one), one])).values()];

/** @returns the ids of what was decided */
export async function decideBatch<One extends { readonly delivery: DeliveryRow }>(
  services: Services,
  key: ChannelKey,
  { from, since, isTaken }: TogetherOptions,
  { keyOf, plainOf, decide, ...batch }: Batch<One>,
): Promise<ReadonlySet<string>> {
  const { channel_id } = key;
  const change = async (ctx: Acting, channel: ChannelRow, waiting: readonly DeliveryRow[] = []) => {
    const distinct = oneOfEach(waiting, ({ body_sha256 }) => body_sha256);
    const found = isTaken(channel) ? oneOfEach(distinct, keyOf) : [];
    if (found.length === 0) return [];
    const names = found.map(({ object_key }) => object_key);
    const [plain, issues] = await Promise.all([plainOf(ctx, found), openIssuesAbout(ctx, channel_id, names)]);
    const free = plain.filter(({ delivery }) => !issues.has(`not_applied/${delivery.object_key}`));
    const bodies = free.map(({ delivery }) => delivery);
    const isNew = await rememberBodies(ctx.db, bodies, ctx.at(), since);
    const taken = free.filter(({ delivery }) => isNew.has(delivery.delivery_id));
    if (taken.length === 0) return [];
    await decide(ctx, channel, taken);
    // Each of these jobs would be claimed, find nothing, and be ended by itself.
    const keys = taken.map(({ delivery }) => delivery.object_key);
    await endJobs(ctx.db, channel.shop_domain, keys);
    return taken.map(({ delivery }) => delivery.delivery_id);
  };
  const first = (ctx: Acting) => waitingTogether(ctx, channel_id, { ...batch, from });
  return new Set(await changeChannel(services, key, change, { first, lookUp: true }));
}
