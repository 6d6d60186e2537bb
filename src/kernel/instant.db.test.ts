/** Instants as PostgreSQL reads them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/support/pg.ts';
import { runOn } from '../../test/support/test-server.ts';
import { parseInstant } from './instant.ts';

const database = await testDatabase();
const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
const zone = fc.oneof(
  fc.constantFrom('Z', 'z'),
  fc
    .tuple(fc.constantFrom('+', '-'), two(24), two(60))
    .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
const day = fc
  .date({ min: new Date('0990-01-01T00:00:00Z'), max: new Date('3010-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 'YYYY-MM-DD'.length));
const fraction = fc
  .integer({ min: 0, max: 999 })
  .map((n) => (n === 0 ? '' : `.${String(n).padStart(3, '0')}`));
const texts = fc
  .tuple(day, fc.constantFrom('T', 't'), two(24), two(60), two(60), fraction, zone)
  .map(
    ([date, t, hours, minutes, seconds, part, offset]) =>
      `${date}${t}${hours}:${minutes}:${seconds}${part}${offset}`,
  );

test('every text that is an instant here is the same instant in PostgreSQL', async () => {
  const accepted = fc.sample(texts, 5_000).flatMap((text) => {
    const ms = parseInstant(text);
    return ms === undefined ? [] : [{ text, ms }];
  });
  expect(accepted.length).toBeGreaterThan(2_000);
  await runOn(database.adminUrl, async (client) => {
    const { rows } = await client.query<{ ms: number }>(
      `select (extract(epoch from text::timestamptz) * 1000)::float8 as ms
         from unnest($1::text[]) with ordinality as given (text, n)
        order by n`,
      [accepted.map(({ text }) => text)],
    );
    expect(accepted.filter(({ ms }, at) => rows[at]?.ms !== ms)).toEqual([]);
  });
});
