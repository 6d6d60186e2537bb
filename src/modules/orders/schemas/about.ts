/** Schemas about orders: history, queues, state machines. */

import Type from 'typebox';
import type { Cause } from '../../../kernel/machine.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actorSchema, NullableText } from './parts.ts';

const OrderChange = Type.Object(
  {
    field: Type.String({ description: 'Path of the changed field' }),
    before: Type.Unknown({ description: 'Value before the change' }),
    after: Type.Unknown({ description: 'Value after the change' }),
  },
  { title: 'OrderChange', description: 'One changed field of an order.' },
);

export const HistoryEntry = Type.Object(
  {
    version: Type.Integer({ description: 'Version of the order after the change' }),
    action: Type.String({ description: 'What was done: placed, accepted, rejected, expired, cancelled, …' }),
    actor: actorSchema,
    reason: Nullable(Type.String({ description: 'Reason code; null when none was given' })),
    detail: Nullable(Type.String({ description: 'Message of the actor; null without one' })),
    request_id: NullableText,
    idempotency_key: NullableText,
    facts: Type.Unknown({ description: 'Details of the action: lines, parcels, ids' }),
    changes: Type.Array(OrderChange, { description: 'The fields that the action changed' }),
    occurred_at: Instant(),
    recorded_at: Instant(),
  },
  { title: 'OrderHistoryEntry', description: 'One action on an order.' },
);

const count = (description: string) => Type.Integer({ description });
export const QueuesSchema = Type.Object(
  {
    to_accept: count('Orders with units that wait for an answer'),
    to_dispatch: count('Orders with accepted units that are not dispatched'),
    late: count('Orders of `to_dispatch` whose dispatch is overdue'),
    cancel_requests: count('Cancel requests without an answer'),
    returns_to_answer: count('Returns without an answer'),
    oversold: count('Orders that ask for more than is in stock'),
    disputes: count('Open disputes'),
    as_of: Instant(),
  },
  { title: 'OrderQueues', description: 'Number of orders by what they wait for.' },
);

const Transition = Type.Object({
  event: Type.String({ description: 'What happens, for example `accept`' }),
  from: Type.Array(Type.String(), {
    description: 'States in which it can happen; empty: it creates the object',
  }),
  to: Type.Array(Type.String(), {
    description: 'States that can follow; with several, the quantities decide',
  }),
  by: StringEnum<readonly Cause[]>(['seller', 'marketplace', 'timer'], {
    description: 'Who makes it happen',
  }),
  guard: Nullable(Type.String({ description: 'Further condition in words; null without one' })),
  emits: Type.Array(Type.String(), { description: 'Types of the events that it sends' }),
});

const StateMachine = Type.Object(
  {
    name: Type.String({ description: 'Name of the machine for programs' }),
    title: Type.String({ description: 'Name of the machine for people' }),
    states: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the state' }),
        terminal: Type.Boolean({ description: 'Whether the object never leaves the state' }),
      }),
      { description: 'All states' },
    ),
    transitions: Type.Array(Transition, { description: 'All transitions' }),
  },
  {
    title: 'StateMachine',
    description: 'States of one kind of object, and the transitions between them.',
  },
);

export const StateMachines = Type.Object(
  {
    machines: Type.Array(StateMachine, {
      description: 'Machines of orders, parcels, cancel requests, returns, refunds and disputes',
    }),
    invariants: Type.Array(Type.String(), { description: 'Invariants of every line' }),
  },
  { title: 'StateMachines', description: 'State machines of orders and their parts.' },
);
