import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestSeller } from '../../../../test/support/app.ts';
import { signWith, testKey } from '../../../../test/support/key-set-server.ts';

const service = await startTestApp();
const { demo } = service;

interface Body {
  readonly detail: unknown;
  readonly code: string;
  readonly request_id: string;
  readonly access_token?: string;
}
const exchange = (token: unknown, app: TestApp = service) =>
  app.call<Body>('POST', '/api/v1/auth/exchange', { json: { marketplace_token: token } });

const standing = (seller: TestSeller, data: object) =>
  service.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: seller.seller_id,
    sellerid: seller.seller_id,
    time: new Date(service.app.services.now()).toISOString(),
    data,
  });

describe('a seller exchanges its session', () => {
  test('for a bearer token of its own, with exactly the fields of the contract', async () => {
    const seller = await service.seller();
    const before = service.app.services.now();
    const { status, body, headers } = await service.call<Record<string, unknown>>(
      'POST',
      '/api/v1/auth/exchange',
      {
        json: { marketplace_token: await seller.session() },
      },
    );
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'seller_id',
      'token_type',
    ]);
    expect(body).toMatchObject({ token_type: 'bearer', seller_id: seller.seller_id, expires_in: 900 });
    expect(Math.abs(Date.parse(String(body['expires_at'])) - before - 900_000)).toBeLessThan(5_000);
    expect(headers.get('cache-control')).toBe('no-store');
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({ seller_id: seller.seller_id, roles: ['owner'], plan: 'Free' });
    expect(claims['permissions']).toContain('catalogue:write');
    expect(claims['sid']).toMatch(/^ses_/);
  });

  test('any number of times, each time for a new session', async () => {
    const seller = await service.seller();
    const session = await seller.session();
    const answers = await Promise.all([exchange(session), exchange(session), exchange(session)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const sids = answers.map(({ body }) => decodeJwt(body.access_token ?? '')['sid']);
    expect(new Set(sids).size).toBe(3);
  });

  test('with any other fields in the body', async () => {
    const seller = await service.seller();
    const other = await service.seller();
    const { status, body } = await service.call<{ seller_id: string }>('POST', '/api/v1/auth/exchange', {
      json: { marketplace_token: await seller.session(), seller_id: other.seller_id, scope: 'admin' },
    });
    expect([status, body.seller_id]).toEqual([200, seller.seller_id]);
  });

  test('also after the marketplace has rotated its keys', async () => {
    const seller = await service.seller();
    const before = await seller.session();
    demo.rotate();
    expect((await exchange(await seller.session())).status).toBe(200);
    expect((await exchange(before)).status).toBe(200);
  });
});

describe('the request is refused', () => {
  test.each<[string, unknown, string]>([
    ['without a token', {}, 'missing'],
    ['with an empty token', { marketplace_token: '' }, 'string_too_short'],
    ['with a number', { marketplace_token: 7 }, 'string_type'],
    ['with null', { marketplace_token: null }, 'string_type'],
  ])('%s: 422 at body.marketplace_token', async (_what, json, type) => {
    const { status, body } = await service.call<Body>('POST', '/api/v1/auth/exchange', { json });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body', 'marketplace_token'], type }]);
    expect(JSON.stringify(body)).not.toContain('"input"');
  });

  test('with broken JSON: 422 json_invalid, with another content type: 415', async () => {
    const send = (type: string) =>
      service.call<Body>('POST', '/api/v1/auth/exchange', {
        body: '{broken',
        headers: { 'content-type': type },
      });
    expect((await send('application/json')).body.detail).toMatchObject([
      { loc: ['body'], type: 'json_invalid' },
    ]);
    expect((await send('text/plain')).status).toBe(415);
  });
});

describe('the session is refused', () => {
  let seller: TestSeller;
  beforeAll(async () => {
    seller = await service.seller();
  });
  const minted = (claims: Record<string, unknown>, more: object = {}) =>
    demo.mint({ email: seller.email, claims, ...more });

  const unauthorised = async (token: string, code: string): Promise<void> => {
    const { status, body, headers } = await exchange(token);
    expect([status, body.code]).toEqual([401, code]);
    expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'request_id']);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  };

  test('401 for a text that is no session', async () => {
    await unauthorised('nonsense', 'token_invalid');
    await unauthorised(`${(await seller.session()).slice(0, -8)}AAAAAAAA`, 'token_invalid');
    await unauthorised(seller.token, 'token_invalid');
    const stranger = { ...testKey('x'), kid: 'x' };
    await unauthorised(await signWith(stranger, decodeJwt(await seller.session())), 'token_invalid');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['without sub', { sub: undefined }, 'token_invalid'],
    ['without exp', { exp: undefined }, 'token_invalid'],
    ['of another issuer', { iss: 'https://elsewhere.example' }, 'token_invalid'],
    ['for another audience', { aud: 'other' }, 'token_invalid'],
    ['of a service role', { role: 'service_role' }, 'token_invalid'],
    ['of an anonymous user', { is_anonymous: true }, 'token_invalid'],
    ['that ended', { iat: 1_700_000_000, exp: 1_700_003_600 }, 'token_expired'],
  ])('401 %s', async (_what, claims, code) => {
    await unauthorised(await minted(claims), code);
  });

  test.each<[string, Record<string, unknown>]>([
    ['aal1', { aal: 'aal1' }],
    ['no level', { aal: undefined }],
    ['AAL2', { aal: 'AAL2' }],
    ['aal3', { aal: 'aal3' }],
    ['a list', { aal: ['aal2'] }],
    ['aal2 in user_metadata only', { aal: 'aal1', user_metadata: { aal: 'aal2' } }],
  ])('403 insufficient_assurance for %s, with the challenge to step up', async (_what, claims) => {
    const { status, body, headers } = await exchange(await minted(claims));
    expect([status, body.code]).toEqual([403, 'insufficient_assurance']);
    expect(headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", acr_values="aal2"',
    );
  });

  test('404 seller_not_found for an identity without a seller', async () => {
    const { status, body } = await exchange(await demo.mint({ email: `${randomUUID()}@example.com` }));
    expect([status, body.code]).toEqual([404, 'seller_not_found']);
  });

  test('in the order session, assurance, seller: the answer names the first check that fails', async () => {
    const email = `${randomUUID()}@example.com`;
    expect((await exchange(await demo.mint({ email, aal: 'aal1', claims: { aud: 'other' } }))).status).toBe(
      401,
    );
    expect((await exchange(await demo.mint({ email, aal: 'aal1' }))).status).toBe(403);
    expect((await exchange(await demo.mint({ email }))).status).toBe(404);
  });
});

describe('the seller is refused', () => {
  test.each<[object, string]>([
    [{ status: 'suspended' }, 'seller_suspended'],
    [{ status: 'closed' }, 'seller_suspended'],
    [{ verified: false }, 'seller_not_verified'],
    [{ api_access: false }, 'api_access_disabled'],
  ])(
    'after %j: 403 %s at the exchange and at the next request of tokens issued before',
    async (data, code) => {
      const seller = await service.seller();
      expect((await seller.call('GET', '/auth/session')).status).toBe(200);
      await standing(seller, data);
      const refused = await exchange(await seller.session());
      expect([refused.status, refused.body.code]).toEqual([403, code]);
      const next = await seller.call<Body>('GET', '/auth/session');
      expect([next.status, next.body.code]).toEqual([403, code]);
    },
  );

  test('and accepted again after the marketplace reinstates it, with the same token', async () => {
    const seller = await service.seller();
    await standing(seller, { status: 'suspended' });
    expect((await exchange(await seller.session())).status).toBe(403);
    await standing(seller, { status: 'active' });
    expect((await exchange(await seller.session())).status).toBe(200);
    expect((await seller.call('GET', '/auth/session')).status).toBe(200);
  });
});
