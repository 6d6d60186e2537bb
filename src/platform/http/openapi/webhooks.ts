/** What sellers receive: each outgoing event as an OpenAPI webhook. Source: docs/design/wire.md#events. */
import type { OutgoingEventDef } from '../../../kernel/events.ts';
import type { ModuleDef } from '../../../kernel/route.ts';
import type { Components } from './components.ts';
import { type Json, ref } from './document.ts';

const string = (description: string): Json => ({ type: 'string', description });

/** The fields of every event beside its data. */
export const EVENT_ENVELOPE: Json = {
  type: 'object',
  required: [
    'id',
    'type',
    'sequence',
    'created_at',
    'api_version',
    'seller_id',
    'object_version',
    'data',
    'test',
  ],
  properties: {
    id: string('`evt_…`; the same in every delivery of this event'),
    type: string('What happened'),
    sequence: { type: 'integer', description: 'Gapless number of the event among those of the seller' },
    created_at: { type: 'string', format: 'date-time' },
    api_version: { type: 'string', const: 'v1' },
    seller_id: string('`slr_…`'),
    object_version: {
      type: 'integer',
      description: 'Version of the object as `data` shows it; never lower than in an earlier event about it',
    },
    data: {
      type: 'object',
      required: ['object'],
      properties: {
        object: {
          description:
            'The object after the change, of a feed perhaps after a later one; the same for everybody who reads the event. Null when it is gone',
        },
        previous: { type: ['object', 'null'], description: 'The changed fields before it' },
      },
    },
    correlation: {
      type: ['object', 'null'],
      properties: {
        request_id: { type: ['string', 'null'] },
        idempotency_key: { type: ['string', 'null'] },
      },
    },
    test: { type: 'boolean', description: 'Whether it was sent only to try the endpoint' },
  },
};

function exampleOf(event: OutgoingEventDef): Json {
  return {
    id: 'evt_01j0000000000000000000000',
    type: event.type,
    sequence: 42,
    created_at: '2026-06-28T01:00:00.000Z',
    api_version: 'v1',
    seller_id: 'slr_01j0000000000000000000000',
    object_version: 2,
    data: { object: event.example, previous: null },
    correlation: { request_id: null, idempotency_key: null },
    test: false,
  };
}

function webhook(module: ModuleDef, event: OutgoingEventDef, components: Components): Json {
  const schema = {
    allOf: [
      ref('schemas', 'Event'),
      {
        type: 'object',
        properties: {
          type: { type: 'string', const: event.type },
          data: {
            type: 'object',
            additionalProperties: true,
            // Null when it is gone by the time of the first read.
            properties: { object: { anyOf: [components.response(event.schema), { type: 'null' }] } },
          },
        },
      },
    ],
  };
  return {
    post: {
      operationId: `events.${event.type}`,
      tags: [module.title],
      summary: event.summary,
      description: 'Sent to the endpoints that are subscribed to the type, signed as Standard Webhooks 1.0.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(event) } } },
      responses: {
        '2XX': { description: 'Taken' },
        '4XX': { description: 'Not taken; it is sent again by the retry schedule' },
      },
    },
  };
}

/** All webhooks by type, but for what only the marketplace is told; undefined when no module sends any. */
export function webhooksOf(modules: readonly ModuleDef[], components: Components): Json | undefined {
  const entries = modules.flatMap((module) =>
    (module.events ?? [])
      .filter(({ sellers }) => sellers !== false)
      .map((event) => [event.type, webhook(module, event, components)] as const),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
