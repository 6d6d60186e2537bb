import { expect, test } from 'vitest';
import { toApiError } from './errors.ts';

test.each([
  ['a connection that is lost', new Error('Connection terminated unexpectedly')],
  ['no free connection', new Error('timeout exceeded when trying to connect')],
  [
    'a pool that is closed while the service leaves',
    new Error('Cannot use a pool after calling end on the pool'),
  ],
  ['a server that shuts down', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ['a server that is gone', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ['a standby', Object.assign(new Error('cannot execute INSERT'), { code: '25006' })],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'].map((code): [string, Error] => [
    code,
    Object.assign(new Error('connect'), { code }),
  ]),
])('%s is 503 with Retry-After', (_what, error) => {
  const { status, code, headers } = toApiError(error);
  expect([status, code, headers?.['retry-after']]).toEqual([503, 'unavailable', '1']);
});

test('a statement timeout is 504, an unknown error a 500 without details', () => {
  expect(toApiError(Object.assign(new Error('canceling'), { code: '57014' })).status).toBe(504);
  const unknown = toApiError(new Error('relation "secret" does not exist'));
  expect([unknown.status, JSON.stringify(unknown.body).includes('secret')]).toEqual([500, false]);
});
