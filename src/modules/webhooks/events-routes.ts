/** The pull form of the events: whoever cannot be called, or has missed something, reads by number. */
import type { SellerCtx } from '../../kernel/context.ts';
import { pageOf } from '../../kernel/cursor.ts';
import { PAGE_LIMIT_DEFAULT } from '../../kernel/schema.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import { withObjects } from '../../platform/outbox/fill-events.ts';
import {
  eventsAfter,
  eventToWire,
  lastSequence,
  type NumberedEvent,
} from '../../platform/outbox/read-events.ts';
import type { Services } from '../../platform/services.ts';
import { EVENT_EXAMPLE, EventsPage, eventsQuery } from './event-schemas.ts';

interface Asked {
  readonly after: bigint;
  readonly types: readonly string[] | undefined;
  readonly limit: number;
}

/** The events and one beyond the page; waits for the first as long as it may. */
async function readOrWait(
  ctx: SellerCtx & { readonly services: Services },
  { after, types, limit }: Asked,
  seconds: number,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly NumberedEvent[]; readonly last: bigint }> {
  const until = performance.now() + seconds * 1000;
  let seen = after;
  for (;;) {
    const [rows, last] = await ctx.transaction('snapshot', async (db) => [
      await withObjects(db, ctx.services.readObjects, await eventsAfter(db, seen, types, limit + 1)),
      await lastSequence(db),
    ]);
    const left = until - performance.now();
    if (rows.length > 0 || left <= 0 || signal.aborted) return { rows, last };
    // What has come in the meantime is of other types: only what is newer can end the waiting.
    if (last > seen) seen = last;
    const head = await ctx.services.heads.past(ctx.seller.seller_id, seen, { ms: left, signal });
    if (head <= seen) return { rows, last };
  }
}

export const eventsRoutes = [
  defineRoute({
    id: 'webhooks.events.list',
    method: 'GET',
    path: '/events',
    summary: 'Events by number',
    description:
      'In order of their number, which has no gaps: whoever has seen every number has missed nothing. Events are kept for 30 days. `wait` holds the answer until there is one.',
    access: { auth: 'seller', permission: 'webhooks:read', rate: 'read', idempotency: 'none' },
    query: eventsQuery,
    tx: 'own',
    ok: [
      {
        status: 200,
        description: 'One page, the oldest event first',
        schema: EventsPage,
        example: {
          data: [EVENT_EXAMPLE],
          page: { limit: 50, next_cursor: null, has_more: false },
          last_sequence: 42,
        },
      },
    ],
    errors: [],
    handler: async (ctx, { query, signal }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, after_sequence = 0, types, wait = 0 } = query;
      const { cursors } = ctx.services;
      const scope = {
        seller_id: ctx.seller.seller_id,
        route: 'webhooks.events.list',
        filters: { after_sequence, types },
      };
      const after = cursor === undefined ? after_sequence : Number(cursors.decode(scope, cursor)[0]);
      const asked = { after: BigInt(after), types: types?.split(','), limit };
      const { rows, last } = await readOrWait(ctx, asked, wait, signal);
      const { data, page } = pageOf(rows, limit, ({ sequence }) => cursors.encode(scope, [Number(sequence)]));
      return { body: { data: data.map(eventToWire), page, last_sequence: Number(last) } };
    },
  }),
];
