import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { accept, invitationToken, invite, joinTeam, someEmail } from '../../../../test/support/team.ts';
import { routePath } from '../../../kernel/route-path.ts';
import { MODULES } from '../../../modules.ts';

const app = await startTestApp();
const limited = await startTestApp({ RATE_LIMITS: 'auth=3/86400,read=5/86400' });
const ABN = '51824753556';

interface Body {
  readonly code: string;
  readonly seller_id: string;
  readonly member_id: string;
}
interface Waiting {
  readonly waiting_on: string;
  readonly action: { readonly kind: string } | null;
}
const outcome = ({ status, body }: Answer<Body>) => [status, body?.code];
const change = (seller: TestSeller, data: object) =>
  app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: seller.seller_id,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data,
  });

/** Calls with a marketplace session of an address. */
const as =
  (email: string, claims: Readonly<Record<string, unknown>> = {}, service = app) =>
  async (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    service.call<Body>(method, `/api/v1${path}`, {
      headers: { ...headers, authorization: `Bearer ${await service.demo.mint({ email, claims })}` },
      ...(json !== undefined && { json }),
    });
const AAL1 = { aal: 'aal1' };

const READS: readonly [method: string, path: string, json?: object][] = [
  ['GET', '/sellers/me'],
  ['GET', '/sellers/me/settings'],
  ['GET', '/sellers/me/business'],
  ['GET', '/sellers/me/holiday'],
  ['GET', '/sellers/me/members'],
  ['GET', `/sellers/validate-abn?abn=${ABN}`],
  ['POST', '/sellers/validate-abn', { abn: ABN }],
];
const WRITES: readonly [method: string, path: string, json: object][] = [
  ['PATCH', '/sellers/me', { trading_name: 'New' }],
  ['PATCH', '/sellers/me/settings', { default_handling_days: 1 }],
  ['PATCH', '/sellers/me/business', { legal_name: 'New Pty Ltd' }],
  ['PATCH', '/sellers/me/holiday', { message: 'Away' }],
  ['POST', '/sellers/me/members', { email: 'new@example.com', roles: ['viewer'] }],
];

test('the routes of the setup are those that a seller needs before it is verified', () => {
  const setup = MODULES.flatMap((module) =>
    module.routes.filter(({ access }) => access.auth === 'setup').map((route) => routePath(module, route)),
  );
  expect(setup.length).toBeGreaterThan(15);
  const areas = /^\/api\/v1\/(sellers\/(me|validate-abn)|seller-agreement|onboarding|kyc)(\/|$)/;
  expect(setup.filter((path) => !areas.test(path))).toEqual([]);
  const all = MODULES.filter(({ name }) => /^(sellers|seller-agreement|onboarding|kyc)$/.test(name)).flatMap(
    ({ routes }) => routes,
  );
  expect(all.filter(({ access }) => access.auth !== 'setup').map(({ id }) => id)).toEqual([]);
});

describe.each([{ verified: false }, { api_access: false }, { verified: false, api_access: false }])(
  'a seller with %j',
  (missing) => {
    test('gets no service token, and uses the setup with the marketplace’s token', async () => {
      const seller = await app.seller({ plan: 'Small' });
      await change(seller, missing);
      const session = as(seller.email);
      const exchanged = await app.call<Body>('POST', '/api/v1/auth/exchange', {
        json: { marketplace_token: await seller.session() },
      });
      expect(exchanged.status).toBe(403);
      for (const [method, path, json] of READS) {
        const answer = await as(seller.email, AAL1)(method, path, json);
        expect([method, path, answer.status]).toEqual([method, path, 200]);
      }
      for (const [method, path, json] of WRITES) {
        const answer = await session(method, path, json);
        expect([method, path, answer.status]).toEqual([method, path, method === 'POST' ? 201 : 200]);
      }
      expect((await session('GET', '/sellers/me')).body.seller_id).toBe(seller.seller_id);
    });

    test('can also use the setup with an earlier service token; other routes refuse it', async () => {
      const seller = await app.seller({ plan: 'Small' });
      await change(seller, missing);
      for (const [method, path, json] of [...READS, ...WRITES])
        expect((await seller.call(method, path, json === undefined ? {} : { json })).status).toBeLessThan(
          300,
        );
      expect((await seller.call('GET', '/products')).status).toBe(403);
      expect((await seller.call('GET', '/auth/session')).status).toBe(403);
    });
  },
);

describe.each(['suspended', 'closed'])('a %s seller', (status) => {
  test('may read but not write, with either token', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const before = (await seller.call('GET', '/sellers/me/members')).text;
    await change(seller, { status });
    const either = [
      as(seller.email),
      (method: string, path: string, json?: object) => seller.call<Body>(method, path, { json }),
    ];
    for (const call of either) {
      for (const [method, path, json] of READS) {
        const answer = await call(method, path, json);
        expect([method, path, answer.status]).toEqual([method, path, 200]);
      }
      for (const [method, path, json] of WRITES)
        expect(outcome(await call(method, path, json))).toEqual([403, 'seller_suspended']);
      // The refusal comes before the check of the body and before the search for the member.
      expect(outcome(await call('PATCH', '/sellers/me', { nonsense: 1 }))).toEqual([403, 'seller_suspended']);
      expect(outcome(await call('DELETE', '/sellers/me/membership'))).toEqual([403, 'seller_suspended']);
      expect((await call('GET', '/sellers/me/members')).text).toBe(before);
    }
  });
});

test.each(['suspended', 'closed'])(
  'a %s seller is told to contact the marketplace, and of no call',
  async (status) => {
    const seller = await app.seller({ plan: 'Small' });
    const version = `v-${randomUUID()}`;
    const terms = {
      ...{ version, title: 'Terms', text_sha256: 'a'.repeat(64), url: 'https://marketplace.example' },
      effective_on: '2026-01-01',
    };
    const asked = { required: true, entity_type: 'sole_trader', deadline: '2099-01-01T00:00:00Z' };
    for (const [type, subject, data] of [
      ['agreement.published', version, terms],
      ['kyc.required', seller.seller_id, asked],
    ] as const)
      await apply(app, orderEvent(app, seller, type, subject, data));
    const waiting = async () => {
      const answers = [];
      for (const path of [
        '/seller-agreement',
        '/kyc',
        '/onboarding/steps/identity',
        '/onboarding/steps/dispatch',
      ])
        answers.push((await seller.call<Waiting>('GET', path)).body);
      return answers.map(({ waiting_on, action }) => [waiting_on, action?.kind]);
    };
    expect((await waiting()).map(([who]) => who)).toEqual(Array(4).fill('seller'));
    await change(seller, { status });
    expect(await waiting()).toEqual(Array(4).fill(['marketplace', 'contact_marketplace']));
  },
);

describe('the marketplace’s token', () => {
  test('needs the second factor for a write; the challenge says so', async () => {
    const { email } = await app.seller({ plan: 'Small' });
    for (const claims of [AAL1, { aal: undefined }, { aal: 'aal3' }])
      for (const [method, path, json] of WRITES) {
        const refused = await as(email, claims)(method, path, json);
        expect(outcome(refused)).toEqual([403, 'insufficient_assurance']);
        expect(refused.headers.get('www-authenticate')).toContain('acr_values="aal2"');
      }
    expect((await as(email, AAL1)('GET', '/sellers/me/settings')).status).toBe(200);
  });

  test.each<[string, Readonly<Record<string, unknown>>, [number, string]]>([
    ['of another issuer', { iss: 'https://elsewhere.example' }, [401, 'token_invalid']],
    ['that has ended', { iat: 1_700_000_000, exp: 1_700_003_600 }, [401, 'token_expired']],
    ['of an anonymous user', { is_anonymous: true }, [401, 'token_invalid']],
    ['of an identity without a seller', { sub: randomUUID() }, [404, 'seller_not_found']],
  ])('%s is refused', async (_what, claims, refusal) => {
    const { email } = await app.seller();
    expect(outcome(await as(email, claims)('GET', '/sellers/me'))).toEqual(refusal);
  });

  test('opens no other route, not even the one of its session', async () => {
    const { email } = await app.seller({ plan: 'Big' });
    for (const path of [
      '/auth/session',
      '/products',
      '/orders',
      '/webhooks/endpoints',
      '/billing/entitlements',
    ])
      expect(outcome(await as(email)('GET', path))).toEqual([401, 'token_invalid']);
  });

  test('gets 401 without a valid signature, as on other routes', async () => {
    const { email } = await app.seller();
    const session = await app.demo.mint({ email });
    const [head = '', body = ''] = session.split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
    for (const token of ['x', `${head}.${body}.AAAA`, none, `${session}x`, '..', `${session} ${session}`]) {
      const answer = await app.call<Body>('GET', '/api/v1/sellers/me', {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(outcome(answer), token).toEqual([401, 'token_invalid']);
    }
    expect(outcome(await app.call<Body>('GET', '/api/v1/sellers/me'))).toEqual([401, 'token_missing']);
  });

  test('acts with the roles of its member, and ends with the membership', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const kim = await joinTeam(app, seller, ['finance']);
    const session = as(kim.email);
    expect((await session('GET', '/sellers/me')).body.seller_id).toBe(seller.seller_id);
    expect(outcome(await session('PATCH', '/sellers/me', { trading_name: 'X' }))).toEqual([
      403,
      'permission_denied',
    ]);
    expect(outcome(await session('GET', '/sellers/me/members'))).toEqual([403, 'permission_denied']);
    await seller.call('PATCH', `/sellers/me/members/${kim.member_id}`, { json: { roles: ['admin'] } });
    expect((await session('PATCH', '/sellers/me', { trading_name: 'X' })).status).toBe(200);
    await seller.call('DELETE', `/sellers/me/members/${kim.member_id}`);
    expect(outcome(await session('GET', '/sellers/me'))).toEqual([404, 'seller_not_found']);
  });

  test('of an invited person opens no route before the invitation is accepted', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const email = someEmail();
    const token = await invitationToken(app, await invite(seller, { email, roles: ['owner'] }));
    expect(outcome(await as(email)('GET', '/sellers/me'))).toEqual([404, 'seller_not_found']);
    await accept(app, token, email);
    expect((await as(email)('GET', '/sellers/me')).status).toBe(200);
  });

  test('invites, leaves and repeats under a key like the service’s token', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const json = { email: someEmail(), roles: ['viewer'] };
    const key = { 'idempotency-key': randomUUID() };
    const first = await as(seller.email)('POST', '/sellers/me/members', json, key);
    const again = await seller.call<Body>('POST', '/sellers/me/members', { json, headers: key });
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const kim = await joinTeam(app, seller, ['viewer']);
    expect(outcome(await as(kim.email, AAL1)('DELETE', '/sellers/me/membership'))).toEqual([
      403,
      'insufficient_assurance',
    ]);
    expect((await as(kim.email)('DELETE', '/sellers/me/membership')).status).toBe(204);
    expect((await kim.call('GET', '/sellers/me')).status).toBe(401);
  });

  test('a revoked service token stays refused', async () => {
    const seller = await app.seller();
    await seller.call('POST', '/auth/revoke');
    expect(outcome(await seller.call<Body>('GET', '/sellers/me'))).toEqual([401, 'token_invalid']);
    expect((await as(seller.email)('GET', '/sellers/me')).status).toBe(200);
  });
});

test('a valid session counts towards the seller’s limit, an invalid one towards that of its address', async () => {
  const seller = await limited.seller();
  const right = as(seller.email, AAL1, limited);
  const policies = [
    await right('GET', '/sellers/me'),
    await as(someEmail(), {}, limited)('GET', '/sellers/me'),
  ];
  expect(policies.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual([
    '"read";q=5;w=86400',
    '"auth";q=3;w=86400',
  ]);
  const wrong = () => as(someEmail(), {}, limited)('GET', '/sellers/me');
  expect([(await wrong()).status, (await wrong()).status, (await wrong()).status]).toEqual([404, 404, 429]);
  expect((await right('GET', '/sellers/me')).status).toBe(200);
});
