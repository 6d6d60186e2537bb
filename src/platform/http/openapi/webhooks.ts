/** Describes each event that sellers receive as an OpenAPI webhook. Source: docs/design/wire.md#events. */
import type { OutgoingEventDef } from '../../../kernel/events.ts';
import type { ModuleDef } from '../../../kernel/route.ts';
import type { Components } from './components.ts';
import { type Json, ref } from './document.ts';
import { pascalCase } from './hoist.ts';

const string = (description: string): Json => ({ type: 'string', description });

/** The fields of an event other than its data. */
export const EVENT_ENVELOPE: Json = {
  type: 'object',
  description: 'The fields of every event. `data` has its object.',
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
    id: {
      ...string('Id of the event, the same in every delivery of it'),
      examples: ['evt_01j0000000000000000000000'],
    },
    type: string('What happened, for example `order.created`'),
    sequence: {
      type: 'integer',
      description: 'Number of the event among those of the seller, without gaps; 0 for a test',
      examples: [42],
    },
    created_at: {
      type: 'string',
      format: 'date-time',
      description: 'When it happened',
      examples: ['2026-06-28T01:00:00.000Z'],
    },
    api_version: {
      type: 'string',
      const: 'v1',
      description: 'Version of the API whose schemas `data` follows',
    },
    seller_id: { ...string('The seller whose event it is'), examples: ['slr_01j0000000000000000000000'] },
    object_version: {
      type: 'integer',
      description: 'Version of the object as `data` shows it; never lower than in an earlier event about it',
      examples: [2],
    },
    data: {
      type: 'object',
      description: 'What the event is about',
      required: ['object'],
      properties: {
        object: {
          description:
            'The object after the change. Events of feeds may show it after a later change; every reader sees the same',
        },
        previous: {
          type: ['object', 'null'],
          additionalProperties: true,
          description: 'The changed fields as they were before',
          examples: [null],
        },
        change: {
          type: 'object',
          additionalProperties: true,
          description:
            'Events of orders: `action`, `reason`, `detail` and `facts`, as in the history of the order',
        },
      },
    },
    correlation: {
      type: ['object', 'null'],
      description: 'The request or the store’s delivery that caused the event; null when neither did',
      properties: {
        request_id: {
          type: ['string', 'null'],
          description: '`X-Request-Id` of that request',
          examples: [null],
        },
        idempotency_key: {
          type: ['string', 'null'],
          description: '`Idempotency-Key` of that request',
          examples: [null],
        },
        delivery_id: {
          type: 'string',
          description: 'The delivery of a connected store that caused the event, if one did',
        },
        traceparent: {
          type: 'string',
          description: 'The trace of that request (W3C Trace Context), if it belongs to one',
        },
      },
    },
    test: { type: 'boolean', description: 'Whether it was sent only to try the endpoint', examples: [false] },
  },
};

/** `order.created` has the schema `OrderCreatedEvent`. */
const schemaName = ({ type }: OutgoingEventDef): string => `${pascalCase(type)}Event`;

/**
 * The schema of `data` of events with the same object. It is named after the object (`OrderEventData`) or the event.
 */
function dataOf(
  event: OutgoingEventDef,
  components: Components,
): { readonly name: string; readonly schema: Json } {
  const shown = components.response(event.schema);
  const gone = event.mayBeGone === true;
  const { $ref } = shown as { readonly $ref?: string };
  const name = $ref?.split('/').at(-1) ?? pascalCase(event.type);
  return {
    name: `${gone ? 'Gone' : ''}${name}EventData`,
    schema: {
      type: 'object',
      description: `The object after the change${gone ? '; null when it no longer exists' : ''}.`,
      required: ['object'],
      additionalProperties: true,
      properties: { object: gone ? { anyOf: [shown, { type: 'null' }] } : shown },
    },
  };
}

/** The schema of one type: the envelope, which requires its fields, with the type and the object that it shows. */
const schemaOf = (event: OutgoingEventDef, data: string): Json => ({
  description: `${event.summary}.`,
  allOf: [
    ref('schemas', 'WebhookEvent'),
    { properties: { type: { const: event.type }, data: ref('schemas', data) } },
  ],
});

/** The tag of the events of a module. */
export const eventsTag = (module: ModuleDef): string => `${module.title} events`;

/** The events that sellers receive. Only the marketplace receives the others. */
export const sellerEvents = (module: ModuleDef): readonly OutgoingEventDef[] =>
  (module.events ?? []).filter(({ sellers }) => sellers !== false);

const webhook = (module: ModuleDef, event: OutgoingEventDef): Json => ({
  post: {
    operationId: `events.${event.type}`,
    tags: [eventsTag(module)],
    summary: event.summary,
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref('schemas', schemaName(event)) } },
    },
    responses: {
      '2XX': ref('responses', 'EventAccepted'),
    },
  },
});

const RESPONSES: Json = {
  EventAccepted: {
    description:
      'Your endpoint has the event; the body is ignored. After any other answer the event is sent again by the retry schedule',
  },
};

interface DescribedEvents {
  /** The events by type; undefined if there are none. */
  readonly webhooks: Json | undefined;
  readonly schemas: { readonly [name: string]: Json };
  readonly responses: Json;
}

/** All events that sellers receive: one webhook and one schema for each type, and the union of the schemas. */
export function describeEvents(modules: readonly ModuleDef[], components: Components): DescribedEvents {
  const sent = modules.flatMap((module) => sellerEvents(module).map((event) => ({ module, event })));
  if (sent.length === 0) return { webhooks: undefined, schemas: {}, responses: {} };
  const mapping = sent.map(({ event }) => [event.type, `#/components/schemas/${schemaName(event)}`]);
  const union: Json = {
    description: 'Any event that sellers receive; `type` says which.',
    oneOf: sent.map(({ event }) => ref('schemas', schemaName(event))),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  };
  const shown = sent.map(({ event }) => ({ event, data: dataOf(event, components) }));
  return {
    webhooks: Object.fromEntries(sent.map(({ module, event }) => [event.type, webhook(module, event)])),
    schemas: {
      WebhookEvent: EVENT_ENVELOPE,
      AnyWebhookEvent: union,
      ...Object.fromEntries(shown.map(({ data }) => [data.name, data.schema])),
      ...Object.fromEntries(shown.map(({ event, data }) => [schemaName(event), schemaOf(event, data.name)])),
    },
    responses: RESPONSES,
  };
}
