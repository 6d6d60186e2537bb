/** What is said about orders: their history, their queues, their machines. */
import Type from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { actorSchema, NullableText } from './parts.ts';

export const HistoryPage = Page(
  Type.Object({
    version: Type.Integer({ description: 'Version of the order after the change' }),
    action: Type.String({ description: 'placed, accepted, rejected, expired, cancelled, dispatched, …' }),
    actor: actorSchema,
    reason: NullableText,
    detail: NullableText,
    request_id: NullableText,
    idempotency_key: NullableText,
    facts: Type.Unknown({ description: 'What was said: lines, parcels, ids' }),
    changes: Type.Array(
      Type.Object(
        { field: Type.String(), before: Type.Unknown(), after: Type.Unknown() },
        { title: 'OrderChange' },
      ),
    ),
    occurred_at: Instant(),
    recorded_at: Instant(),
  }),
);

const count = (description: string) => Type.Integer({ description });
export const QueuesSchema = Type.Object(
  {
    to_accept: count('Orders with units that wait for an answer'),
    to_dispatch: count('Orders with accepted units that are not dispatched'),
    late: count('Of those, orders whose dispatch is overdue'),
    cancel_requests: count('Cancel requests without an answer'),
    returns_to_answer: count('Returns without an answer'),
    oversold: count('Orders that ask for more than is in stock'),
    disputes: count('Open disputes'),
    as_of: Instant(),
  },
  { title: 'OrderQueues' },
);

export const StateMachines = Type.Object(
  {
    machines: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        states: Type.Array(
          Type.Object({
            name: Type.String(),
            terminal: Type.Boolean({ description: 'Nothing leaves it' }),
          }),
        ),
        transitions: Type.Array(
          Type.Object({
            event: Type.String(),
            from: Type.Array(Type.String(), { description: 'Empty: the event makes the thing' }),
            to: Type.Array(Type.String(), {
              description: 'Where it can lead; more than one where quantities decide',
            }),
            by: StringEnum(['seller', 'marketplace', 'timer']),
            guard: Nullable(Type.String()),
            emits: Type.Array(Type.String()),
          }),
        ),
      }),
    ),
    invariants: Type.Array(Type.String(), { description: 'Of every line, at every moment' }),
  },
  { title: 'StateMachines' },
);
