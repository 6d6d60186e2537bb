/** Service policies of the marketplace: which is in force, and what is refused. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { policiesOf, policyAt } from './policies.ts';
import { DEFAULT_POLICY } from './policy.ts';

const { app, events } = await startTestApp();

const published = async (data: object, more: object = {}) => {
  const event = {
    ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core' },
    ...{ type: 'marketplace.service_policy.published', time: new Date(app.services.now()).toISOString() },
    data: { ...DEFAULT_POLICY, ...data },
    ...more,
  };
  const [result] = await events(event);
  return result?.code ?? result?.status;
};
const at = (instant: string) =>
  app.services.withSystem('marketplace-event', 'read', (db) => policyAt(db, Date.parse(instant)));
const office = (monday: unknown) => ({
  messages: { response_minutes: 60, calendar: { weekly: { mon: monday }, closed_dates: [] } },
});

test('the policy of the day holds, of two of a day the later one, and before all the built-in one', async () => {
  const later = new Date(app.services.now() + 60_000).toISOString();
  expect(await published({ version: 'p-2', effective_from: '2031-08-01' }, { time: later })).toBe('applied');
  expect(await published({ version: 'p-1', effective_from: '2031-08-01' })).toBe('applied');
  expect(await published({ version: 'p-0', effective_from: '2031-07-01', contest_days: 10 })).toBe('applied');
  // The first of August begins in Sydney at 14:00 in UTC.
  expect((await at('2031-07-31T14:00:00Z')).version).toBe('p-2');
  expect(await at('2031-07-31T13:59:59.999Z')).toMatchObject({ version: 'p-0', contest_days: 10 });
  expect(await at('2031-06-01T00:00:00Z')).toEqual(DEFAULT_POLICY);
});

test('a version is published once: the same again is stale, another with its name is refused', async () => {
  const policy = { version: 'once', effective_from: '2041-01-01' };
  expect(await published(policy)).toBe('applied');
  expect(await published(policy)).toBe('stale');
  expect(await published({ ...policy, contest_days: 1 })).toBe('version_reused');
  expect(await published({ version: 'default-1', contest_days: 1 })).toBe('version_reused');
  const known = await app.services.withSystem('marketplace-event', 'read', (db) =>
    policiesOf(db, ['once', 'default-1', 'unknown']),
  );
  expect([...known.keys()]).toEqual(['default-1', 'once']);
});

test.each([
  ['never open', office([]), 'data_invalid'],
  [
    'overlapping',
    office([
      ['09:00', '12:00'],
      ['11:00', '13:00'],
    ]),
    'data_invalid',
  ],
  ['ending before they begin', office([['12:00', '09:00']]), 'data_invalid'],
  ['not times', office([['9:00', '25:00']]), 'data_invalid'],
  ['not pairs', office([['09:00']]), 'data_invalid'],
  ['up to midnight', office([['09:00', '24:00']]), 'applied'],
])('hours that are %s: %#', async (_, data, expected) => {
  expect(await published({ version: randomUUID(), effective_from: '2051-01-01', ...data })).toBe(expected);
});

test('the subject names the version', async () => {
  expect(await published({ version: 'named', effective_from: '2051-01-01' }, { subject: 'other' })).toBe(
    'data_invalid',
  );
});
