import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';

/** Years from the machine's time, so that a read of the machine's clock makes a test fail. */
const START = Date.parse('2031-02-03T04:05:06.000Z');
const service = await startTestApp({ CLOCK: 'manual', CLOCK_START: new Date(START).toISOString() });

interface Body {
  readonly code: string;
  readonly access_token: string;
  readonly expires_at: string;
}
const moveTo = async (instant: number): Promise<void> => {
  const { status } = await fetch(`${service.internalUrl}/internal/v1/clock`, {
    method: 'POST',
    body: JSON.stringify({ now: new Date(instant).toISOString() }),
    headers: { authorization: `Bearer ${service.internalToken}`, 'content-type': 'application/json' },
  });
  expect(status).toBe(200);
};
const exchange = (marketplace_token: string) =>
  service.call<Body>('POST', '/api/v1/auth/exchange', { json: { marketplace_token } });

test('tokens and sessions begin and end by the service’s clock', async () => {
  const seller = await service.seller();
  const session = await seller.session();
  const { status, body } = await exchange(session);
  expect([status, body.expires_at]).toEqual([200, '2031-02-03T04:20:06.000Z']);
  expect(decodeJwt(body.access_token).iat).toBe(START / 1000);
  const ask = () =>
    service.call<Body>('GET', '/api/v1/auth/session', {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
  expect((await ask()).status).toBe(200);
  await moveTo(START + 899_000);
  expect((await ask()).status).toBe(200);
  await moveTo(START + 900_000);
  expect(await ask()).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  expect((await exchange(session)).status).toBe(200);
  await moveTo(START + 3_600_000 + 31_000);
  expect(await exchange(session)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
});

test('a session is refused a day after its beginning, even if it ends later', async () => {
  const seller = await service.seller();
  const now = service.app.services.now();
  const session = await service.demo.mint({ email: seller.email, expiresIn: 3 * 24 * 3_600 });
  await moveTo(now + 24 * 3_600_000);
  expect((await exchange(session)).status).toBe(200);
  await moveTo(now + 24 * 3_600_000 + 60_000);
  expect(await exchange(session)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
});

test('a session of tomorrow, or of ten years, is refused', async () => {
  const { email } = await service.seller();
  const seconds = Math.floor(service.app.services.now() / 1000);
  for (const claims of [
    { iat: seconds + 86_400 },
    { nbf: seconds + 60 },
    { exp: seconds + 10 * 365 * 86_400 },
  ]) {
    expect(await exchange(await service.demo.mint({ email, claims }))).toMatchObject({
      status: 401,
      body: { code: 'token_invalid' },
    });
  }
});

test('while the marketplace is down, cached keys are used; a token of another key gets 503 at once', async () => {
  const { email } = await service.seller();
  const known = await service.demo.mint({ email });
  expect((await exchange(known)).status).toBe(200);
  service.demo.rotate();
  const unknown = await service.demo.mint({ email });
  await service.demo.stop();
  const started = performance.now();
  const refused = await exchange(unknown);
  expect(performance.now() - started).toBeLessThan(6_000);
  expect([refused.status, refused.body.code]).toEqual([503, 'marketplace_unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await exchange(known)).status).toBe(200);
  const login = await service.call<Body>('POST', '/api/v1/auth/token', {
    body: new URLSearchParams({ username: `${randomUUID()}@example.com`, password: 'x' }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([login.status, login.body.code]).toEqual([503, 'marketplace_unavailable']);
});
