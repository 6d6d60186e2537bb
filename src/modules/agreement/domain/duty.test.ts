import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysLeft, dueAt, nextNotice, statusOf } from './duty.ts';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);
const received_at = '2026-07-01T00:00:00.000Z';
const NONE = { newest: false, ever: false };

test.each([
  ['a first acceptance has 14 days', null, NONE, '2026-01-01T00:00:00Z', '2026-07-15T00:00:00Z'],
  ['so has a seller that registers later', null, NONE, '2026-08-01T00:00:00Z', '2026-08-15T00:00:00Z'],
  ['a day ends in Sydney', '2026-09-01', NONE, '2026-01-01T00:00:00Z', '2026-09-01T14:00:00Z'],
  ['in summer an hour earlier', '2026-12-01', NONE, '2026-01-01T00:00:00Z', '2026-12-01T13:00:00Z'],
  ['a near day holds for known sellers', '2026-07-03', NONE, '2026-01-01T00:00:00Z', '2026-07-03T14:00:00Z'],
  ['a new seller has 14 days anyhow', '2026-07-03', NONE, '2026-07-02T00:00:00Z', '2026-07-16T00:00:00Z'],
  ['a far day holds for a new seller', '2026-09-01', NONE, '2026-07-02T00:00:00Z', '2026-09-01T14:00:00Z'],
])('%s', (_what, reacceptance_by, accepted, registered, due) => {
  expect(dueAt({ reacceptance_by, received_at }, accepted, registered)).toBe(at(due));
});

test('nothing is due after the acceptance, nor where an older one suffices', () => {
  const registered = '2026-01-01T00:00:00Z';
  const old = { newest: false, ever: true };
  expect(dueAt({ reacceptance_by: null, received_at }, old, registered)).toBeNull();
  expect(dueAt({ reacceptance_by: '2026-09-01', received_at }, old, registered)).not.toBeNull();
  expect(
    dueAt({ reacceptance_by: '2026-09-01', received_at }, { newest: true, ever: true }, registered),
  ).toBeNull();
});

test('the status follows the time that is left', () => {
  const due = at('2026-09-01T14:00:00Z');
  expect(statusOf(null, due)).toBe('current');
  expect(statusOf(due, due - 14 * DAY_MS - 1)).toBe('pending');
  expect(statusOf(due, due - 14 * DAY_MS)).toBe('due_soon');
  expect(statusOf(due, due - 1)).toBe('due_soon');
  expect(statusOf(due, due)).toBe('overdue');
});

test('reminders come 14 days and one day before, and at the due date', () => {
  const due = at('2026-09-01T14:00:00Z');
  const days = (now: number) => {
    const next = nextNotice(due, now);
    return next === null ? null : (due - next) / DAY_MS;
  };
  expect([days(due - 15 * DAY_MS), days(due - 14 * DAY_MS), days(due - DAY_MS), days(due)]).toEqual([
    14,
    1,
    0,
    null,
  ]);
  // A reminder is never before its time, and the next one says fewer days.
  fc.assert(
    fc.property(fc.integer({ min: -40 * DAY_MS, max: 10 * DAY_MS }), (offset) => {
      const next = nextNotice(due, due + offset);
      if (next === null) expect(daysLeft(due, due + offset)).toBe(0);
      else expect(due - next).toBe(daysLeft(due, next) * DAY_MS);
    }),
  );
});
