import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';

const TRIES = 3;
const app = await startTestApp({ RATE_LIMITS: `public=${TRIES}/86400` });

test('a 401 says how many wrong tokens its address has left, and then it is 429', async () => {
  const seen: [number, string | null][] = [];
  for (let tried = 0; tried <= TRIES; tried += 1) {
    const headers = { authorization: 'Bearer wrong' };
    const answer = await app.call('GET', '/api/v1/products', { headers });
    expect(answer.headers.get('ratelimit-policy')).toBe(`"public";q=${TRIES};w=86400`);
    seen.push([answer.status, answer.headers.get('ratelimit')?.split(';t=', 1)[0] ?? null]);
  }
  expect(seen).toEqual([
    [401, '"public";r=2'],
    [401, '"public";r=1'],
    [401, '"public";r=0'],
    [429, '"public";r=0'],
  ]);
});
