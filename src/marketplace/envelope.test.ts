import { expect, test } from 'vitest';
import { ApiError } from '../kernel/errors.ts';
import { BATCH_MAX, readEnvelopes } from './envelope.ts';

const event = { specversion: '1.0', id: 'e1', source: '/core', type: 'marketplace.x', data: { a: 1 } };

function problemsOf(body: unknown): unknown[] {
  try {
    readEnvelopes(body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return error.body['detail'] as unknown[];
    throw error;
  }
  return [];
}

test('one event or a batch, in order', () => {
  expect(readEnvelopes(event)).toHaveLength(1);
  expect(readEnvelopes([event, { ...event, id: 'e2' }]).map(({ id }) => id)).toEqual(['e1', 'e2']);
  expect(readEnvelopes([])).toEqual([]);
});

test('times become UTC, absent ones null', () => {
  const time = (given: string) => readEnvelopes({ ...event, time: given })[0]?.time;
  expect(time('2026-06-28T11:00:00+10:00')).toBe('2026-06-28T01:00:00.000Z');
  expect(time('2026-06-28T01:00:00.123456Z')).toBe('2026-06-28T01:00:00.123Z');
  expect(readEnvelopes(event)[0]?.time).toBeNull();
});

test('versions above 2^53 survive as digits', () => {
  const version = (given: unknown) => readEnvelopes({ ...event, objectversion: given })[0]?.object_version;
  expect(version('9007199254740993')).toBe(9007199254740993n);
  expect(version(7)).toBe(7n);
  expect(readEnvelopes(event)[0]?.object_version).toBeNull();
});

test.each([
  ['specversion', '0.3'],
  ['id', ''],
  ['id', 7],
  ['id', undefined],
  ['source', ' '],
  ['source', 'a\0b'],
  ['type', null],
  ['subject', 5],
  ['time', '2026-06-28'],
  ['time', '2026-13-45T99:00:00Z'],
  ['objectversion', -1],
  ['objectversion', 1.5],
  ['objectversion', '1e3'],
  ['datacontenttype', 'text/xml'],
  ['data_base64', 'AAAA'],
])('%s = %j is refused by name', (attribute, value) => {
  expect(problemsOf({ ...event, [attribute]: value })).toMatchObject([{ loc: ['body', attribute] }]);
  expect(problemsOf([event, { ...event, [attribute]: value }])).toMatchObject([
    { loc: ['body', 1, attribute] },
  ]);
});

test.each([[null], ['text'], [7], [[[]]], [[null]]])('%j is no event', (body) => {
  expect(problemsOf(body)).toMatchObject([{ type: 'object_type' }]);
});

test.each(['id', 'source', 'type', 'subject', 'sellerid'])('a lone surrogate in %s is refused', (name) => {
  expect(problemsOf({ ...event, [name]: 'evt-\ud800' })).toMatchObject([{ loc: ['body', name] }]);
  expect(problemsOf({ ...event, [name]: 'evt-\u{1f600}' })).toEqual([]);
});

test('a batch holds at most a thousand events', () => {
  const batch = (size: number) => Array.from({ length: size }, (_, index) => ({ ...event, id: `e${index}` }));
  expect(readEnvelopes(batch(BATCH_MAX))).toHaveLength(1_000);
  expect(problemsOf(batch(BATCH_MAX + 1))).toMatchObject([{ type: 'too_long' }]);
});

test('the digest depends on the content, not on the order of keys or transport attributes', () => {
  const digest = (body: object) => readEnvelopes(body)[0]?.digest.toString('hex');
  const same = { data: { a: 1 }, type: event.type, source: event.source, id: event.id, specversion: '1.0' };
  expect(digest(same)).toBe(digest(event));
  expect(digest({ ...event, traceparent: '00-1-2-01' })).toBe(digest(event));
  for (const changed of [
    { data: { a: 2 } },
    { subject: 's' },
    { time: '2026-06-28T01:00:00Z' },
    { objectversion: 1 },
  ]) {
    expect(digest({ ...event, ...changed })).not.toBe(digest(event));
  }
});
