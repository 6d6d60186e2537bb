import Type, { type Static } from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import type { OutgoingEventDef } from '../../../kernel/events.ts';
import { closeObjects, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { type Catalogue, checkTypesQuery, eventsIn } from '../actions/check-types.ts';
import { matchesType } from '../domain/event-types.ts';
import { EVENT_EXAMPLE, EventType, typesQuery } from '../schemas/event-schemas.ts';

const toSummary = ({ type, summary, notification }: OutgoingEventDef): Static<typeof EventType> => ({
  type,
  summary,
  notification: notification !== undefined,
  schema: null,
  example: null,
});

const toWire = (event: OutgoingEventDef): Static<typeof EventType> => ({
  ...toSummary(event),
  schema: closeObjects(event.schema),
  example: { ...EVENT_EXAMPLE, type: event.type, data: { object: event.example } },
});

const EXAMPLE = {
  type: 'inventory.updated',
  summary: 'Units on hand or the reorder point of a product changed',
  notification: false,
  schema: { type: 'object' },
  example: EVENT_EXAMPLE,
};

const wanted = (catalogue: Catalogue, types: string): OutgoingEventDef[] => {
  const patterns = types.split(',');
  checkTypesQuery(patterns, catalogue);
  return eventsIn(catalogue).filter(({ type }) => patterns.some((pattern) => matchesType(pattern, type)));
};

/** The events that sellers receive, from the declarations of all modules. */
const list = pageRoute({
  id: 'webhooks.event_types.list',
  path: '/event-types',
  summary: 'The types of events, with schema and example',
  description:
    'By name. Use the names in `event_types` of an endpoint. Schemas and examples are long: leave them out with `view=summary`, and read the type that you need by its name.',
  access: reads('webhooks'),
  filters: {
    types: typesQuery,
    view: Type.Optional(
      StringEnum(['full', 'summary'], {
        description: '`summary`: `schema` and `example` are null. Default: `full`',
      }),
    ),
  },
  schema: EventType,
  example: EXAMPLE,
  read: async ({ services }, { after: [last = ''] = [], limit, filters: { types = '*', view } }) =>
    wanted(services, types)
      .filter(({ type }) => type > last)
      .sort((a, b) => (a.type < b.type ? -1 : 1))
      .slice(0, limit + 1)
      .map(view === 'summary' ? toSummary : toWire),
  position: ({ type }) => [type],
  view: (row) => row,
});

const get = defineRoute({
  id: 'webhooks.event_types.get',
  method: 'GET',
  path: '/event-types/{event_type}',
  summary: 'Read a type of events, with schema and example',
  description: 'The schema describes `data.object`; the example is a whole event.',
  access: reads('webhooks'),
  params: Type.Object({
    event_type: Type.String({ description: 'Name of the type, for example `order.created`' }),
  }),
  ok: okJson('The type', EventType, EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async ({ services }, { params }) => {
    const body = toWire(requireFound(eventsIn(services).find(({ type }) => type === params.event_type)));
    return { body, etag: shownTag(body.type, body) };
  },
});

export const eventTypeRoutes = [list, get];
