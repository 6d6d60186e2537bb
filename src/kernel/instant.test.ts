import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDay, parseInstant } from './instant.ts';

test.each([
  ['2026-06-28T01:00:00Z', '2026-06-28T01:00:00.000Z'],
  ['2026-06-28t11:00:00.5+10:00', '2026-06-28T01:00:00.500Z'],
  ['2028-02-29T23:59:59.123456789-00:30', '2028-03-01T00:29:59.123Z'],
  ['2999-12-31T23:59:59.999Z', '2999-12-31T23:59:59.999Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(parseInstant(text) ?? 0).toISOString()).toBe(expected);
});

test.each([
  '2026-06-31T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-06-28T25:00:00Z',
  '2026-06-28T01:00:00',
  '2026-06-28 01:00:00Z',
  '2026-06-28',
  '2026-06-30T23:59:60Z',
  '2026-06-30T24:00:00Z',
  '2026-06-30t24:00:00.000+10:00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2999-12-31T23:59:59-00:01',
  // The database rounds it into the year 3000.
  '2999-12-31T23:59:59.9999999Z',
  '1000-01-01T00:00:00+10:00',
  '2026-06-28T01:00:00+16:00',
  '2026-06-28T01:00:00-23:59',
  '2026-06-28T01:00:00+09:60',
  '1790000000',
  '',
  'now',
])('%j is no instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('what the service writes it reads back', () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date('1000-01-01T00:00:00Z'),
        max: new Date('2999-12-31T23:59:59Z'),
        noInvalidDate: true,
      }),
      (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime());
      },
    ),
  );
});

test.each([
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['0000-01-01', false],
  ['9999-12-31', false],
  ['2026-06-28T00:00:00Z', false],
  ['2026-6-28', false],
  ['', false],
])('%j is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});
