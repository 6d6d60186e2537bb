import type { OutgoingEventDef } from '../../../kernel/events.ts';
import { closeObjects } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { EVENT_EXAMPLE, EventTypesSchema } from '../schemas/event-schemas.ts';

const toWire = ({ type, summary, schema, example, notification }: OutgoingEventDef) => ({
  type,
  summary,
  notification: notification !== undefined,
  schema: closeObjects(schema),
  example: { ...EVENT_EXAMPLE, type, data: { object: example } },
});

/** The events that sellers receive, from the declarations of all modules. */
export const eventTypesRoute = defineRoute({
  id: 'webhooks.event_types.list',
  method: 'GET',
  path: '/event-types',
  summary: 'The types of events, with schema and example',
  description: 'Use the names in `event_types` of an endpoint.',
  access: { auth: 'seller', permission: 'webhooks:read', rate: 'read', idempotency: 'none' },
  ok: [
    {
      status: 200,
      description: 'All types, by name',
      schema: EventTypesSchema,
      example: {
        data: [
          {
            type: 'inventory.updated',
            summary: 'Units on hand or the reorder point of a product changed',
            notification: false,
            schema: { type: 'object' },
            example: EVENT_EXAMPLE,
          },
        ],
      },
    },
  ],
  errors: [],
  handler: async (ctx) => {
    const events = ctx.services.modules.flatMap((module) => module.events ?? []);
    const shown = events.filter(({ sellers }) => sellers !== false);
    return { body: { data: shown.sort((a, b) => (a.type < b.type ? -1 : 1)).map(toWire) } };
  },
});
