import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Logger } from '../../src/kernel/context.ts';
import { createJwksCache } from '../../src/platform/crypto/jwks-cache.ts';
import {
  createMarketplaceTokens,
  type MarketplaceTokens,
} from '../../src/platform/crypto/marketplace-tokens.ts';
import { DEMO_PASSWORD, type DemoMarketplace, demoUser, startDemoMarketplace } from '../index.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const NOW = Date.parse('2026-05-06T07:08:09.000Z');
let demo: DemoMarketplace;
let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'spp-demo-'));
  demo = await startDemoMarketplace({ port: 0, dataDir, now: () => NOW });
});
afterEach(async () => {
  await demo.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const verifier = (): MarketplaceTokens =>
  createMarketplaceTokens({
    jwks: createJwksCache({ url: demo.jwksUrl, systemNow: () => performance.now(), log: silent }),
    issuer: demo.issuer,
    audience: demo.audience,
    now: () => NOW,
  });

interface Session {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly email: string };
}
async function post(path: string, body: string | object): Promise<{ status: number; body: Session }> {
  const form = typeof body === 'string';
  const response = await fetch(`${demo.url}${path}`, {
    method: 'POST',
    body: form ? body : JSON.stringify(body),
    headers: { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' },
  });
  return { status: response.status, body: (await response.json()) as Session };
}

test('a session has the claims of the marketplace and passes the service’s verifier', async () => {
  const { status, body } = await post('/session', { email: 'Mia@Example.com', aal: 'aal2' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3_600, expires_at: NOW / 1000 + 3_600 });
  expect(decodeJwt(body.access_token)).toMatchObject({
    iss: demo.issuer,
    aud: 'authenticated',
    sub: body.user.id,
    role: 'authenticated',
    aal: 'aal2',
    amr: [{ method: 'totp', timestamp: NOW / 1000 }, { method: 'password' }],
    email: 'mia@example.com',
    iat: NOW / 1000,
    exp: NOW / 1000 + 3_600,
  });
  expect(await verifier().verify(body.access_token)).toMatchObject({ subject: body.user.id, aal: 'aal2' });
});

test('the line that the walk-through prints works as curl sends it', async () => {
  const { status, body } = await post('/session', '{"email":"mia@example.com","aal":"aal2"}');
  expect(status).toBe(200);
  expect(decodeJwt(body.access_token)['aal']).toBe('aal2');
});

test('the same address is the same person, before and after a restart', async () => {
  const first = await post('/signup', { email: 'mia@example.com' });
  await demo.stop();
  demo = await startDemoMarketplace({ port: 0, dataDir, now: () => NOW });
  const second = await post('/signup', { email: 'MIA@example.com' });
  expect(second.body.user).toEqual(first.body.user);
  expect(first.body.user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(demoUser('noah@example.com')?.id).not.toBe(first.body.user.id);
  // Its keys are the same too.
  expect(decodeProtectedHeader(second.body.access_token).kid).toBe(
    decodeProtectedHeader(first.body.access_token).kid,
  );
});

test('a password gives aal1, a wrong one nothing', async () => {
  const good = await post(
    '/token',
    `grant_type=password&username=mia%40example.com&password=${DEMO_PASSWORD}`,
  );
  expect(decodeJwt(good.body.access_token)['aal']).toBe('aal1');
  expect(
    (await post('/token?grant_type=password', { email: 'mia@example.com', password: DEMO_PASSWORD })).status,
  ).toBe(200);
  expect((await post('/token?grant_type=password', { email: 'mia@example.com', password: 'x' })).status).toBe(
    400,
  );
  expect((await post('/token', { email: 'mia@example.com', password: DEMO_PASSWORD })).status).toBe(400);
});

test('a refresh token continues the session at its assurance level, once', async () => {
  const refresh = (refresh_token: unknown) => post('/token?grant_type=refresh_token', { refresh_token });
  const { body } = await post('/session', { email: 'mia@example.com', aal: 'aal2' });
  const renewed = await refresh(body.refresh_token);
  expect(renewed.status).toBe(200);
  expect(decodeJwt(renewed.body.access_token)).toMatchObject({ sub: body.user.id, aal: 'aal2' });
  expect((await refresh(body.refresh_token)).status).toBe(400);
  expect((await refresh(renewed.body.refresh_token)).status).toBe(200);
  for (const wrong of ['', undefined, 'x']) expect((await refresh(wrong)).status).toBe(400);
});

test('a plan is changed by an event to the service, once the service listens', async () => {
  const ask = (body: object) => post('/plan', body);
  expect((await ask({ seller_id: 'slr_1', plan: 'Small' })).status).toBe(503);
  const sent: unknown[] = [];
  demo.connect(async (event) => {
    sent.push(event);
    return { status: sent.length === 1 ? 'applied' : 'rejected', code: 'data_invalid' };
  });
  expect(await ask({ seller_id: 'slr_1', plan: 'Small' })).toEqual({
    status: 200,
    body: { seller_id: 'slr_1', plan: 'Small' },
  });
  expect(sent).toMatchObject([
    {
      type: 'marketplace.seller.standing_changed',
      subject: 'slr_1',
      sellerid: 'slr_1',
      data: { plan: 'Small' },
    },
  ]);
  expect((await ask({ seller_id: 'slr_1', plan: 'Huge' })).status).toBe(422);
  expect((await ask({ plan: 'Small' })).status).toBe(400);
});

test('the discovery document leads to the key set, which shows no private part', async () => {
  const document = (await (await fetch(`${demo.issuer}/.well-known/openid-configuration`)).json()) as {
    issuer: string;
    jwks_uri: string;
  };
  expect(document.issuer).toBe(demo.issuer);
  const response = await fetch(document.jwks_uri);
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
  expect(keys.map((key) => key['alg'])).toEqual(['ES256', 'EdDSA']);
  for (const key of keys) expect(key).not.toHaveProperty('d');
});

test('a rotation keeps sessions alive; dropping the old keys ends them', async () => {
  const before = await demo.mint();
  const both = [before, await demo.mint({ alg: 'EdDSA' })];
  demo.rotate();
  const after = await demo.mint();
  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  for (const token of [...both, after]) expect((await verifier().verify(token)).aal).toBe('aal2');
  await post('/keys/rotate', { drop_old: true });
  for (const token of [...both, after]) {
    await expect(verifier().verify(token)).rejects.toMatchObject({ code: 'token_invalid' });
  }
  expect((await verifier().verify(await demo.mint())).aal).toBe('aal2');
});

test('claims can be replaced and left out, to see what the service says', async () => {
  const token = await demo.mint({ claims: { aal: undefined, aud: 'other' }, expiresIn: 5 });
  const claims = decodeJwt(token);
  expect(claims).not.toHaveProperty('aal');
  expect(claims.aud).toBe('other');
  expect(claims.exp).toBe(NOW / 1000 + 5);
});

test.each<[string, string | object]>([
  ['/session', {}],
  ['/session', { email: 'no-address' }],
  ['/session', { email: 'a b@example.com' }],
  ['/session', { email: 'a@example.com', aal: 'aal9' }],
  ['/session', { email: 'a@example.com', alg: 'none' }],
  ['/session', { email: 'a@example.com', expires_in: 'x' }],
  ['/session', { email: 'a@example.com', claims: [] }],
  ['/session', '{broken'],
  ['/session', 'a'.repeat(70_000)],
  ['/signup', { email: 7 }],
])('%s with %j is 400', async (path, body) => {
  expect((await post(path, body)).status).toBe(400);
});

test('other paths are 404 and say what there is', async () => {
  const response = await fetch(`${demo.url}/nothing`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ routes: expect.arrayContaining(['POST /session']) });
});
