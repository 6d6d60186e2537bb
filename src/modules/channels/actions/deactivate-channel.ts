/** Takes the products of a channel that was disconnected off sale, in parts, so that no lock is held for long. */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { type ChannelKey, touch } from '../store/channels.ts';
import { linkedVariants, links } from '../store/links.ts';
import { changeChannel } from './ask-store.ts';
import { deactivateProducts, offSale } from './lose-links.ts';

export const DEACTIVATE_JOB = 'channels.deactivate';
const LINKS_OF_A_PART = 500;

export async function deactivateSoon(ctx: Acting, channel_id: string): Promise<void> {
  await touch(ctx, channel_id, { deactivating: true });
  await ctx.jobs.add({
    ...{ kind: DEACTIVATE_JOB, payload: { channel_id }, uniqueKey: channel_id, dueAt: ctx.now() },
  });
}

/** A new connection of the store ends it; an authorisation that is open does not. It is safe to repeat. */
export async function deactivateChannel(
  services: Services,
  key: ChannelKey,
  signal: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted();
    const from: string = after;
    after = await changeChannel(services, key, async (ctx, channel) => {
      if (!channel.deactivating) return undefined;
      const rows = await linkedVariants(ctx, channel.channel_id, from, LINKS_OF_A_PART);
      const { deactivated } = await deactivateProducts(ctx, channel, rows);
      // The store's own status puts them on sale again when it is connected again.
      const taken = rows.filter(({ product_id }) => product_id !== null && deactivated.has(product_id));
      await links.upsertMany(
        ctx,
        taken.map((row) => ({ ...row, base: offSale(row, deactivated), content_sha256: '' })),
      );
      if (rows.length === 0) await touch(ctx, channel.channel_id, { deactivating: false });
      return rows.at(-1)?.link_id;
    });
  }
}
