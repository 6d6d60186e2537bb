/** What is said about orders: their history, their queues, their machines. */
import Type from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { actorSchema, NullableText } from './parts.ts';

const OrderChange = Type.Object(
  {
    field: Type.String({ description: 'Path of the changed field' }),
    before: Type.Unknown({ description: 'Value before the change' }),
    after: Type.Unknown({ description: 'Value after the change' }),
  },
  { title: 'OrderChange', description: 'One changed field of an order.' },
);

const HistoryEntry = Type.Object(
  {
    version: Type.Integer({ description: 'Version of the order after the change' }),
    action: Type.String({ description: 'What was done: placed, accepted, rejected, expired, cancelled, …' }),
    actor: actorSchema,
    reason: Nullable(Type.String({ description: 'Reason code that was given; null when none was' })),
    detail: Nullable(Type.String({ description: 'What the actor added in words; null when nothing' })),
    request_id: NullableText,
    idempotency_key: NullableText,
    facts: Type.Unknown({ description: 'What the action was about: lines, parcels, ids' }),
    changes: Type.Array(OrderChange, { description: 'The fields that the action changed' }),
    occurred_at: Instant(),
    recorded_at: Instant(),
  },
  { title: 'OrderHistoryEntry', description: 'One action on an order.' },
);
export const HistoryPage = Page(HistoryEntry);

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
  { title: 'OrderQueues', description: 'How many orders wait for what.' },
);

const Transition = Type.Object({
  event: Type.String({ description: 'What happens, for example `accept`' }),
  from: Type.Array(Type.String(), {
    description: 'States in which it can happen; empty: it makes the object',
  }),
  to: Type.Array(Type.String(), {
    description: 'States to which it can lead; with several, the quantities decide',
  }),
  by: StringEnum(['seller', 'marketplace', 'timer'], { description: 'Who makes it happen' }),
  guard: Nullable(Type.String({ description: 'Further condition in words; null for none' })),
  emits: Type.Array(Type.String(), { description: 'Types of the events that it sends' }),
});

const StateMachine = Type.Object(
  {
    name: Type.String({ description: 'Name of the machine for programs' }),
    title: Type.String({ description: 'Name of the machine for people' }),
    states: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the state' }),
        terminal: Type.Boolean({ description: 'Whether the object stays in the state for ever' }),
      }),
      { description: 'All states' },
    ),
    transitions: Type.Array(Transition, { description: 'All transitions' }),
  },
  {
    title: 'StateMachine',
    description: 'The states of one kind of object and what leads from one to another.',
  },
);

export const StateMachines = Type.Object(
  {
    machines: Type.Array(StateMachine, { description: 'Of orders, parcels, returns, refunds and the like' }),
    invariants: Type.Array(Type.String(), { description: 'What is true of every line at every moment' }),
  },
  { title: 'StateMachines', description: 'How orders and their parts move.' },
);
