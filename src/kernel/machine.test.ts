import { expect, test } from 'vitest';
import { defineMachine, type Transition } from './machine.ts';

const row = (more: Partial<Transition<'open' | 'shut' | 'knock', 'opened' | 'closed' | 'broken'>>) => ({
  event: 'open' as const,
  from: [] as const,
  to: ['opened'] as const,
  by: 'seller' as const,
  guard: null,
  emits: [],
  ...more,
});
const door = defineMachine({
  name: 'door',
  title: 'Door',
  states: ['opened', 'closed', 'broken'],
  rows: [
    row({ from: ['closed'] }),
    row({ event: 'shut', from: ['opened'], to: ['closed', 'broken'], by: 'timer' }),
    row({ event: 'knock', from: ['broken'], to: ['broken'] }),
  ],
});

test('a machine allows the moves of its table', () => {
  expect(door.allows('open', 'closed')).toBe(true);
  expect(door.allows('open', 'opened')).toBe(false);
  expect(door.eventsFrom('opened')).toEqual(['shut']);
  expect(door.eventsFrom('opened', 'seller')).toEqual([]);
  expect(door.terminal).toEqual(['broken']);
});

test('a table that contradicts itself is refused', () => {
  const define = (rows: Parameters<typeof row>[0][]) =>
    defineMachine({ name: 'x', title: 'X', states: ['opened', 'closed'], rows: rows.map(row) as never });
  expect(() => define([{ from: ['closed'] }, { from: ['closed'] }])).toThrow('twice');
  expect(() => define([{ from: ['broken'] }])).toThrow('unknown state');
});
