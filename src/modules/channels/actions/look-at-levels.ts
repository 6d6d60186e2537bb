/** Levels about which the service asks the store by itself: each is a delivery, which the worker decides as any other. */
import type { Acting } from '../../../kernel/context.ts';
import type { SaidLevel } from '../domain/judge-level.ts';
import type { ChannelRow } from '../store/channels.ts';
import { addSwept, type SweptDelivery } from '../store/swept-deliveries.ts';

export const ASK_LEVEL_JOB = 'channels.ask_level';

type Place = Pick<SaidLevel, 'inventory_item_id' | 'location_id'>;

export function levelDelivery(
  said: SaidLevel,
  topic = said.updated_at === null ? 'inventory_levels/disconnect' : 'inventory_levels/update',
): SweptDelivery {
  const { inventory_item_id: item, location_id, updated_at } = said;
  return { topic, object_key: `level:${item}:${location_id}`, changed_at: updated_at, body: said };
}

/** The store is asked for the level of an item, and which variant the item is: its delivery has neither. */
export const levelToAskFor = (place: Place): SweptDelivery =>
  levelDelivery({ ...place, available: null, updated_at: null }, 'inventory_levels/update');

/** Adds deliveries about levels, unless one about the same level waits. */
export async function lookAtLevels(
  ctx: Acting,
  channel: ChannelRow,
  swept: readonly SweptDelivery[],
): Promise<void> {
  await addSwept(ctx, channel, swept, ctx.at());
}

/** Adds one by a job: a seller's scope cannot add to the work of the receiver. */
export const askForLevel = (ctx: Acting, channel_id: string, place: Place): Promise<void> =>
  ctx.jobs.add({ kind: ASK_LEVEL_JOB, payload: { channel_id, ...place }, dueAt: ctx.now() });
