/** Takes the products of a channel that was disconnected off sale, in parts, so that no lock is held for long. */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { type ChannelKey, touch } from '../store/channels.ts';
import { linkedVariants, links } from '../store/links.ts';
import { changeChannel } from './ask-store.ts';
import { deactivateProducts, offSale } from './lose-links.ts';
import { planJob } from './plan-job.ts';

export const DEACTIVATE_JOB = 'channels.deactivate';
const LINKS_OF_A_PART = 500;

export async function deactivateSoon(ctx: Acting, channel_id: string): Promise<void> {
  await touch(ctx, channel_id, { deactivating: true });
  await planJob(ctx, DEACTIVATE_JOB, channel_id);
}

interface Part {
  readonly from: string;
  readonly size: number;
  /** Whether a link before it is left. */
  readonly isLeft: boolean;
}

/** @returns the last link of the part; undefined after the last part */
const takeOff = (
  services: Services,
  key: ChannelKey,
  { from, size, isLeft }: Part,
): Promise<string | undefined> =>
  changeChannel(services, key, async (ctx, channel) => {
    if (!channel.deactivating) return undefined;
    const rows = await linkedVariants(ctx, channel.channel_id, from, size);
    const { deactivated } = await deactivateProducts(ctx, channel, rows);
    // The store's own status puts them on sale again when it is connected again.
    const taken = rows.filter(({ product_id }) => product_id !== null && deactivated.has(product_id));
    await links.upsertMany(
      ctx,
      taken.map((row) => ({ ...row, base: offSale(row, deactivated), content_sha256: '' })),
    );
    if (rows.length === 0 && !isLeft) await touch(ctx, channel.channel_id, { deactivating: false });
    return rows.at(-1)?.link_id;
  });

/** The link after one. */
const nextLink = (services: Services, key: ChannelKey, from: string): Promise<string | undefined> =>
  changeChannel(services, key, async (ctx, { channel_id }) => {
    const [row] = await linkedVariants(ctx, channel_id, from, 1);
    return row?.link_id;
  });

/**
 * A new connection of the store ends it; an authorisation that is open does not. It is safe to repeat. A part that
 * fails is done link by link, and a link that fails is left for the next time.
 *
 * @throws the failure of the last link that is left
 */
export async function deactivateChannel(
  services: Services,
  key: ChannelKey,
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown;
  let alone = 0;
  for (let from: string | undefined = ''; from !== undefined; ) {
    signal.throwIfAborted();
    const part: Part = { from, size: alone > 0 ? 1 : LINKS_OF_A_PART, isLeft: failure !== undefined };
    try {
      from = await takeOff(services, key, part);
      alone = Math.max(0, alone - 1);
    } catch (error) {
      if (part.size > 1) {
        alone = part.size;
        continue;
      }
      failure = error;
      alone -= 1;
      from = await nextLink(services, key, part.from);
    }
  }
  if (failure !== undefined) throw failure;
}
