/** The pull form: a client that cannot be called, or has missed events, reads them by number. */

import { pageOf } from '../../../kernel/cursor.ts';
import { PAGE_LIMIT_DEFAULT } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { wholeEvents } from '../../../platform/outbox/fill-events.ts';
import { eventToWire } from '../../../platform/outbox/read-events.ts';
import { checkTypesQuery } from '../actions/check-types.ts';
import { pullEvents } from '../actions/pull-events.ts';
import { EVENT_EXAMPLE, EventsPage, eventsQuery } from '../schemas/event-schemas.ts';

export const eventsRoute = defineRoute({
  id: 'webhooks.events.list',
  method: 'GET',
  path: '/events',
  summary: 'List events by number',
  description:
    'In the order of their numbers, which have no gaps: a client that has seen every number has missed nothing. Events are kept for 30 days. `wait` holds the answer until there is one. With `types` a request searches some hundred thousand numbers at most. So a page may have fewer events than `limit`, or none, although `has_more` is true; continue with `next_cursor`.',
  access: { auth: 'seller', permission: 'webhooks:read', rate: 'read', idempotency: 'none' },
  query: eventsQuery,
  tx: 'own',
  ok: okJson('One page, the oldest event first', EventsPage, {
    data: [EVENT_EXAMPLE],
    page: { limit: 50, next_cursor: null, has_more: false },
    last_sequence: 42,
  }),
  errors: [],
  handler: async (ctx, { query, signal, park }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, after_sequence = 0, types, wait = 0 } = query;
    checkTypesQuery(types?.split(',') ?? [], ctx.services);
    const { cursors } = ctx.services;
    const scope = {
      seller_id: ctx.seller_id,
      route: 'webhooks.events.list',
      filters: { after_sequence, types },
    };
    const after = cursor === undefined ? after_sequence : Number(cursors.decode(scope, cursor)[0]);
    const { rows, last, behind } = await pullEvents(ctx, {
      after: BigInt(after),
      types: types?.split(','),
      limit,
      wait: { seconds: wait, signal, park },
    });
    const goOn = (sequence: bigint): string => cursors.encode(scope, [Number(sequence)]);
    const { data, page } = pageOf(rows, limit, ({ sequence }) => goOn(sequence));
    const next = behind === null ? page : { ...page, next_cursor: goOn(behind), has_more: true };
    const whole = await wholeEvents(data, (bare) =>
      ctx.transaction('write', (db) => ctx.services.fillEvents.keeping(db, bare)),
    );
    return { body: { data: whole.map(eventToWire), page: next, last_sequence: Number(last) } };
  },
});
