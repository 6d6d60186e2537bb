import { expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../../test/support/app.ts';
import { accept, someEmail } from '../../../../test/support/team.ts';

const WRONG = 60;
/** A day, so that no window ends within a test. */
const limited = (wrong = WRONG): Promise<TestApp> => startTestApp({ RATE_LIMITS: `auth=${wrong}/86400` });
const [app, mixed, defaults] = [await limited(), await limited(6), await startTestApp({ RATE_LIMITS: 'on' })];

const exchange = (service: TestApp, marketplace_token: unknown) =>
  service.call<{ code: string }>('POST', '/api/v1/auth/exchange', { json: { marketplace_token } });
const left = ({ headers }: Answer<unknown>) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('60 wrong exchanges pass, the next one is 429; right ones are not counted, before and after', async () => {
  const seller = await app.seller();
  for (let count = 0; count < WRONG + 10; count += 1) {
    const right = await exchange(app, await seller.session());
    expect([right.status, left(right)]).toEqual([200, WRONG]);
  }
  for (let count = 1; count <= WRONG; count += 1) {
    const wrong = await exchange(app, 'wrong');
    expect([wrong.status, left(wrong)]).toEqual([401, WRONG - count]);
  }
  const refused = await exchange(app, 'wrong');
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await exchange(app, await seller.session())).status).toBe(200);
  expect((await seller.call('GET', '/auth/session')).status).toBe(200);
});

test('every refused sign-in counts, for any reason', async () => {
  const email = someEmail();
  const register = (json: object) =>
    mixed.demo.mint({ email }).then((session) =>
      mixed.call('POST', '/api/v1/auth/register', {
        json,
        headers: { authorization: `Bearer ${session}` },
      }),
    );
  const seller = await mixed.seller();
  const answers = [
    await exchange(mixed, await mixed.demo.mint({ email, aal: 'aal1' })),
    await exchange(mixed, await mixed.demo.mint({ email })),
    await exchange(mixed, 7),
    await register({ business_name: 'Thief', tax_id: seller.tax_id }),
    await accept(mixed, 'no-such-token', email),
    await mixed.call('POST', '/api/v1/auth/token', {
      body: `username=${email}&password=wrong`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    await exchange(mixed, 'wrong'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 404, 422, 409, 404, 400, 429]);
  expect(answers.map(left)).toEqual([5, 4, 3, 2, 1, 0, 0]);
  // Refused service tokens are counted apart, because a busy address sends many that have just expired.
  const headers = { authorization: 'Bearer wrong' };
  expect((await mixed.call('GET', '/api/v1/products', { headers })).status).toBe(401);
});

test('the limit is 60 a minute unless the operator sets another', async () => {
  const { headers } = await exchange(defaults, 'wrong');
  expect(headers.get('ratelimit-policy')).toBe('"auth";q=60;w=60');
});
