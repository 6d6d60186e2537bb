import { expect, test } from 'vitest';
import { isUnavailable } from './unavailable.ts';

test('08P01 of a pooler is temporary; of PostgreSQL, which names its routine, it is a fault of the statement', () => {
  const pooler = Object.assign(new Error('query_wait_timeout'), { code: '08P01' });
  expect(isUnavailable(pooler)).toBe(true);
  const server = Object.assign(new Error('bind message supplies 1 parameters'), {
    code: '08P01',
    routine: 'exec_bind_message',
  });
  expect(isUnavailable(server)).toBe(false);
});
