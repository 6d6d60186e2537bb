import { expect, test } from 'vitest';
import { standingEvent } from './standing-event.ts';

test.each([
  ['active', 'suspended', 'account.suspended'],
  ['active', 'closed', 'account.suspended'],
  ['suspended', 'closed', 'account.suspended'],
  ['suspended', 'active', 'account.reinstated'],
  ['closed', 'active', 'account.reinstated'],
  ['active', 'active', 'account.health_changed'],
] as const)('%s to %s is %s', (before, after, type) => {
  expect(standingEvent({ status: before }, { status: after })).toBe(type);
});
