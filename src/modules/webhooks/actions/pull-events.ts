import type { Db, SellerCtx } from '../../../kernel/context.ts';
import { LOOK_UP } from '../../../platform/db/by-index.ts';
import { eventsAfter, lastSequence, type NumberedEvent } from '../../../platform/outbox/read-events.ts';
import { readOrWait, type Wait } from '../../../platform/outbox/read-or-wait.ts';
import type { Services } from '../../../platform/services.ts';
import { searchWindow } from '../store/event-window.ts';

/** Windows without an event of the types that one request goes through, one after the other: half a second. */
export const WINDOWS_MAX = 10;

export interface Pulled {
  /** One more than the limit where there are so many. */
  readonly rows: readonly NumberedEvent[];
  /** The last number that the seller has. */
  readonly last: bigint;
  /** What has not been looked at begins behind this number; null: nothing is left, or the rows say where. */
  readonly behind: bigint | null;
}

export interface PullRequest {
  readonly after: bigint;
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  readonly wait: Wait;
}

async function read(db: Db, { types, limit }: PullRequest, after: bigint): Promise<Pulled> {
  await db.run(LOOK_UP);
  const last = await lastSequence(db);
  if (types === undefined)
    return { rows: await eventsAfter(db, after, undefined, limit + 1), last, behind: null };
  const { found, up_to } = await searchWindow(db, after, types, limit + 1);
  // So many lie within the window: none behind it is looked for.
  const rows = found === 0 ? [] : await eventsAfter(db, after, types, found);
  const whole = rows.length > limit || up_to === null || up_to >= last;
  return { rows, last, behind: whole ? null : up_to };
}

type Ctx = SellerCtx & { readonly services: Services };

/** Each window in a transaction of its own: none of them takes long. */
async function search(ctx: Ctx, request: PullRequest, after: bigint): Promise<Pulled> {
  let from = after;
  for (let left = WINDOWS_MAX; ; left -= 1) {
    const pulled = await ctx.transaction('snapshot', (db) => read(db, request, from));
    const { rows, behind } = pulled;
    if (behind === null || rows.length > 0 || left === 1 || request.wait.signal.aborted) return pulled;
    from = behind;
  }
}

/** Reads events behind a number, or waits for some when there is nothing left to look at. */
export function pullEvents(ctx: Ctx, request: PullRequest): Promise<Pulled> {
  const { after, wait } = request;
  return readOrWait(ctx.services.waiters, ctx.seller.seller_id, after, wait, async (from) => {
    const pulled = await search(ctx, request, from);
    return { ...pulled, incomplete: pulled.behind !== null };
  });
}
