import type { OutgoingEventDef } from '../../../kernel/events.ts';
import { closeObjects } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { checkTypesQuery } from '../actions/check-types.ts';
import { matchesType } from '../domain/event-types.ts';
import { EVENT_EXAMPLE, EventType, typesQuery } from '../schemas/event-schemas.ts';

const toWire = ({ type, summary, schema, example, notification }: OutgoingEventDef) => ({
  type,
  summary,
  notification: notification !== undefined,
  schema: closeObjects(schema),
  example: { ...EVENT_EXAMPLE, type, data: { object: example } },
});

/** The events that sellers receive, from the declarations of all modules. */
export const eventTypesRoute = pageRoute({
  id: 'webhooks.event_types.list',
  path: '/event-types',
  summary: 'The types of events, with schema and example',
  description: 'By name. Use the names in `event_types` of an endpoint.',
  access: reads('webhooks'),
  filters: { types: typesQuery },
  schema: EventType,
  example: {
    type: 'inventory.updated',
    summary: 'Units on hand or the reorder point of a product changed',
    notification: false,
    schema: { type: 'object' },
    example: EVENT_EXAMPLE,
  },
  read: async (ctx, { after: [last = ''] = [], limit, filters: { types = '*' } }) => {
    const patterns = types.split(',');
    checkTypesQuery(patterns, ctx.services);
    return ctx.services.modules
      .flatMap((module) => module.events ?? [])
      .filter(({ sellers, type }) => sellers !== false && type > last)
      .filter(({ type }) => patterns.some((pattern) => matchesType(pattern, type)))
      .sort((a, b) => (a.type < b.type ? -1 : 1))
      .slice(0, limit + 1);
  },
  position: ({ type }) => [type],
  view: toWire,
});
