import { randomBytes, randomUUID } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../../../demo/index.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { generateSigningKeys } from '../../../platform/crypto/signing-keys.ts';

const service = await startTestApp();
const installed = {
  MARKETPLACE_ISSUER: 'https://id.example',
  MARKETPLACE_AUDIENCE: 'authenticated',
  MARKETPLACE_JWKS_URL: 'https://id.example/jwks.json',
  TOKEN_SIGNING_KEYS: generateSigningKeys(),
  SECRETS_KEY: randomBytes(32).toString('base64'),
};
const production = await startTestApp({ ...installed, APP_ENV: 'production' });
const staging = await startTestApp({ ...installed, APP_ENV: 'staging' });

interface Body {
  readonly code: string;
  readonly detail: unknown;
  readonly access_token: string;
  readonly seller_id: string;
}

test('GET /auth/session lists the permissions of the token', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const { status, body, headers } = await seller.call<Record<string, unknown>>('GET', '/auth/session');
  expect(status).toBe(200);
  expect(body).toEqual({
    seller_id: seller.seller_id,
    member_id: expect.stringMatching(/^mbr_/),
    session_id: expect.stringMatching(/^ses_/),
    roles: ['owner'],
    permissions: expect.arrayContaining(['catalogue:read', 'catalogue:write', 'team:write']),
    plan: 'Small',
    issued_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
    key_id: decodeProtectedHeader(seller.token).kid,
  });
  expect(Date.parse(String(body['expires_at'])) - Date.parse(String(body['issued_at']))).toBe(900_000);
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a request without a token, or with a session of the marketplace, is 401', async () => {
  const seller = await service.seller();
  const ask = (authorization?: string) =>
    service.call<Body>('GET', '/api/v1/auth/session', {
      headers: authorization === undefined ? {} : { authorization },
    });
  for (const [header, code] of [
    [undefined, 'token_missing'],
    [`Bearer ${await seller.session()}`, 'token_invalid'],
    [`Basic ${seller.token}`, 'token_invalid'],
    [`Bearer ${seller.token}x`, 'token_invalid'],
  ] as const) {
    const { status, body, headers } = await ask(header);
    expect([status, body.code]).toEqual([401, code]);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  }
});

test('POST /auth/revoke ends this session and no other', async () => {
  const seller = await service.seller();
  const other = await seller.renew();
  // The verifier has cached the token, and must still refuse it.
  expect((await seller.call('GET', '/auth/session')).status).toBe(200);
  const revoked = await seller.call('POST', '/auth/revoke');
  expect([revoked.status, revoked.text]).toEqual([204, '']);
  const after = await seller.call<Body>('GET', '/auth/session');
  expect([after.status, after.body.code]).toEqual([401, 'token_invalid']);
  expect((await seller.call('POST', '/auth/revoke')).status).toBe(401);
  expect((await other.call('GET', '/auth/session')).status).toBe(200);
  expect((await (await seller.renew()).call('GET', '/auth/session')).status).toBe(200);
});

test('anybody can verify a token with the published key set', async () => {
  const { token, seller_id } = await service.seller();
  const { status, body, headers } = await service.call<JSONWebKeySet>('GET', '/.well-known/jwks.json');
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('public, max-age=600');
  expect(JSON.stringify(body)).not.toContain('"d"');
  const { payload } = await jwtVerify(token, createLocalJWKSet(body), { typ: 'spp-access+jwt' });
  expect(payload['seller_id']).toBe(seller_id);
});

describe('the development login', () => {
  const login = (form: string | Record<string, string>, headers: Record<string, string> = {}) =>
    service.call<Body>('POST', '/api/v1/auth/token', {
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  test('gives a seller of the demo marketplace a token', async () => {
    const seller = await service.seller();
    const { status, body } = await login({
      grant_type: 'password',
      username: seller.email,
      password: DEMO_PASSWORD,
    });
    expect([status, body.seller_id]).toEqual([200, seller.seller_id]);
    expect(Object.keys(body).sort()).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'seller_id',
      'token_type',
    ]);
    const session = await service.call('GET', '/api/v1/auth/session', {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(session.status).toBe(200);
  });

  test('refuses a wrong password, a person without a seller, and a body that is not a form', async () => {
    const seller = await service.seller();
    const wrong = await login({ grant_type: 'password', username: seller.email, password: 'guess' });
    expect([wrong.status, wrong.body]).toMatchObject([
      400,
      { code: 'invalid_grant', error: 'invalid_grant' },
    ]);
    const stranger = await login({ username: `${randomUUID()}@example.com`, password: DEMO_PASSWORD });
    expect([stranger.status, stranger.body.code]).toEqual([404, 'seller_not_found']);
    expect((await login('{}', { 'content-type': 'application/json' })).status).toBe(415);
    const empty = await login('grant_type=refresh_token');
    expect(empty.status).toBe(422);
    expect(empty.body.detail).toMatchObject([
      { loc: ['body', 'grant_type'] },
      { loc: ['body', 'username'] },
      { loc: ['body', 'password'] },
    ]);
    expect((await login(`username=${'a'.repeat(10_000)}`)).status).toBe(413);
  });

  test.each([
    ['staging', staging],
    ['production', production],
  ])('does not exist in %s: the ordinary 404', async (_name, installation) => {
    const [login404, unknown] = await Promise.all([
      installation.call<Body>('POST', '/api/v1/auth/token', {
        body: 'username=a&password=b',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      installation.call<Body>('POST', '/api/v1/auth/nothing'),
    ]);
    expect(login404.status).toBe(404);
    expect(login404.body.code).toBe(unknown.body.code);
    expect(login404.body.detail).toBe(String(unknown.body.detail).replace('nothing', 'token'));
    expect((await installation.call('GET', '/api/v1/auth/token')).status).toBe(404);
  });
});

test('a token of another installation is refused, although the names are the same', async () => {
  const { token } = await service.seller();
  const answer = await production.call<Body>('GET', '/api/v1/auth/session', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([answer.status, answer.body.code]).toEqual([401, 'token_invalid']);
});
