import type { SellerCtx } from '../../../kernel/context.ts';
import { isoOf, UNSEEN_MS } from '../../../kernel/instant.ts';
import { oldestUnseen } from '../store/feed-runs.ts';

/**
 * From when the next list of changes must read, so that it has those that become visible later: requests may take so
 * long, and a feed run writes for minutes with the time of its beginning.
 */
export async function resumeSince(ctx: SellerCtx): Promise<string> {
  const seen = ctx.now() - UNSEEN_MS;
  const began = await oldestUnseen(ctx, seen);
  return isoOf(began === null ? seen : Math.min(seen, Date.parse(began) - UNSEEN_MS));
}
