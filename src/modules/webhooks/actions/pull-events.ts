import type { SellerCtx } from '../../../kernel/context.ts';
import { LOOK_UP } from '../../../platform/db/by-index.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { eventsAfter, lastSequence, type NumberedEvent } from '../../../platform/outbox/read-events.ts';
import { readOrWait, type Wait } from '../../../platform/outbox/read-or-wait.ts';
import type { Services } from '../../../platform/services.ts';
import { searchWindow } from '../store/event-window.ts';

/** Most windows without a matching event that one request searches, which takes half a second. */
export const WINDOWS_MAX = 10;

interface Pulled {
  /** The events; one more than the limit, if there are so many. */
  readonly rows: readonly NumberedEvent[];
  /** The number of the seller's last event. */
  readonly last: bigint;
  /** The number at which the search stopped; null if it is complete, or if the last row says where to continue. */
  readonly behind: bigint | null;
}

interface PullRequest {
  readonly after: bigint;
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  readonly wait: Wait;
}

async function read(at: SellerDb, { types, limit }: PullRequest, after: bigint): Promise<Pulled> {
  await at.db.run(LOOK_UP);
  const last = await lastSequence(at);
  if (types === undefined)
    return { rows: await eventsAfter(at, after, undefined, limit + 1), last, behind: null };
  const { found, up_to } = await searchWindow(at, after, types, limit + 1);
  // With `found` as the limit the query does not read beyond the window.
  const rows = found === 0 ? [] : await eventsAfter(at, after, types, found);
  const whole = rows.length > limit || up_to === null || up_to >= last;
  return { rows, last, behind: whole ? null : up_to };
}

type Ctx = SellerCtx & { readonly services: Services };

/** Each window has its own short transaction. */
async function search(ctx: Ctx, request: PullRequest, after: bigint): Promise<Pulled> {
  let from = after;
  for (let left = WINDOWS_MAX; ; left -= 1) {
    const pulled = await ctx.transaction('snapshot', (db) => read(ctx.in(db), request, from));
    const { rows, behind } = pulled;
    if (behind === null || rows.length > 0 || left === 1 || request.wait.signal.aborted) return pulled;
    from = behind;
  }
}

/** Reads events after a number, or waits for the next one if there is none. */
export function pullEvents(ctx: Ctx, request: PullRequest): Promise<Pulled> {
  const { after, wait } = request;
  return readOrWait(ctx.services.waiters, ctx.seller_id, after, wait, async (from) => {
    const pulled = await search(ctx, request, from);
    return { ...pulled, incomplete: pulled.behind !== null };
  });
}
