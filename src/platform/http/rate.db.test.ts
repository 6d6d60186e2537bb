import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';

const TRIES = 3;
const app = await startTestApp({ RATE_LIMITS: `public=${TRIES}/86400`, TRUSTED_PROXIES: '127.0.0.0/8' });

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

test('addresses of one IPv6 network are one client, those of IPv4 are one each', async () => {
  const statuses = async (...addresses: string[]) => {
    const seen: number[] = [];
    for (const address of addresses)
      seen.push(
        (await app.call('GET', '/.well-known/jwks.json', { headers: { 'x-forwarded-for': address } })).status,
      );
    return seen;
  };
  const [other, ...network] = [
    '2001:db8:7:2::1',
    ...['1', '2:3', 'ffff', '9'].map((id) => `2001:db8:7:1::${id}`),
  ];
  expect(await statuses(...network, `${other}`)).toEqual([200, 200, 200, 429, 200]);
  const mapped = [
    '203.0.113.1',
    '::ffff:203.0.113.1',
    '::ffff:cb00:7101',
    '203.0.113.1',
    '::ffff:203.0.113.2',
  ];
  expect(await statuses(...mapped)).toEqual([200, 200, 200, 429, 200]);
});
