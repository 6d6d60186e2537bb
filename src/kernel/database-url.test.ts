import { expect, test } from 'vitest';
import { databaseAddress } from './database-url.ts';

test('each host of a URL gets a URL of its own, with the login, the database and the parameters', () => {
  const text =
    'postgres://spp:p%40ss@one:5433,two,[::1]:5434/spp?target_session_attrs=read-write&sslmode=verify-full';
  const rest = '/spp?target_session_attrs=read-write&sslmode=verify-full';
  expect(databaseAddress(text)).toEqual({
    urls: ['one:5433', 'two', '[::1]:5434'].map((host) => `postgres://spp:p%40ss@${host}${rest}`),
    writable: true,
  });
});

test.each([
  ['postgres://spp@one/spp', false],
  ['postgresql://spp@one/spp?target_session_attrs=any', false],
  ['postgres://spp@one/spp?target_session_attrs=read-write', true],
  ['postgres://spp@one,two/spp?target_session_attrs=primary', true],
])('%s: asks only for sessions that accept writes: %s', (text, writable) => {
  expect(databaseAddress(text)?.writable).toBe(writable);
});

test.each([
  'mysql://spp@one/spp',
  'postgres://spp@one:x/spp',
  // The first host that answers may be a standby.
  'postgres://spp@one,two/spp',
  'postgres://spp@one,two/spp?target_session_attrs=any',
  'postgres://spp@one/spp?target_session_attrs=prefer-standby',
  'postgres://spp@one/spp?target_session_attrs=toString',
  'postgres://spp@/spp?host=one,two&target_session_attrs=read-write',
])('%s is refused', (text) => {
  expect(databaseAddress(text)).toBe(undefined);
});

test.each(['prefer', 'require', 'verify-ca'])('sslmode=%s checks the certificate', (mode) => {
  const url = (parameters: string) => `postgres://spp@one/spp?sslmode=${parameters}`;
  expect(databaseAddress(url(mode))?.urls).toEqual([url('verify-full')]);
  expect(databaseAddress(url(`${mode}&uselibpqcompat=true`))?.urls).toEqual([
    url(`${mode}&uselibpqcompat=true`),
  ]);
});
