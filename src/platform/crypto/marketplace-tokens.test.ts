import { createHmac, createPublicKey, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type KeySetServer,
  signWith,
  startKeySetServer,
  testKey,
} from '../../../test/support/key-set-server.ts';
import type { Logger } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { createJwksCache } from './jwks-cache.ts';
import { createMarketplaceTokens, type MarketplaceTokens } from './marketplace-tokens.ts';
import { createServiceTokens } from './service-tokens.ts';
import { generateSigningKeys, parseSigningKeys } from './signing-keys.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** The service's clock stands two years before the machine's: lifetimes must follow it alone. */
const NOW = Date.parse('2024-02-29T12:00:00.000Z');
const seconds = NOW / 1000;
const DAY = 24 * 3_600;
const ISSUER = 'https://id.marketplace.example/auth/v1';
const SUB = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';

const es = testKey('es');
const rs = testKey('rs', 'RS256');
const ed = testKey('ed', 'EdDSA');
let server: KeySetServer;
let tokens: MarketplaceTokens;

const build = (): MarketplaceTokens =>
  createMarketplaceTokens({
    jwks: createJwksCache({
      url: server.url,
      systemNow: () => performance.now(),
      log: silent,
      timeoutMs: 500,
    }),
    issuer: ISSUER,
    audience: 'authenticated',
    now: () => NOW,
  });
beforeAll(async () => {
  server = await startKeySetServer(es, rs, ed);
});
beforeEach(() => {
  server.publish(es, rs, ed);
  server.answer(undefined);
  tokens = build();
});
afterAll(() => server.close());

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const session = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: ISSUER,
  aud: 'authenticated',
  sub: SUB,
  role: 'authenticated',
  aal: 'aal2',
  amr: [{ method: 'totp', timestamp: seconds }],
  session_id: '6f0d5c1e-0000-4000-8000-000000000001',
  email: 'mia@example.com',
  is_anonymous: false,
  iat: seconds - 10,
  exp: seconds + 3_600,
  ...more,
});

async function refusal(token: string, by = tokens): Promise<string> {
  try {
    await by.verify(token);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const refused = error as ApiError;
    if (refused.status === 401)
      expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    if (token.length > 20) expect(JSON.stringify(refused.body)).not.toContain(token);
    return `${refused.status} ${refused.code}`;
  }
  throw new Error('the token was taken');
}

test.each([es, rs, ed])('a session signed with $alg is accepted', async (key) => {
  expect(await tokens.verify(await signWith(key, session()))).toEqual({
    subject: SUB,
    email: 'mia@example.com',
    email_verified: false,
    session_id: '6f0d5c1e-0000-4000-8000-000000000001',
    aal: 'aal2',
    issued_at: seconds - 10,
    expires_at: seconds + 3_600,
  });
});

test.each<[unknown, boolean]>([
  [true, true],
  [false, false],
  ['true', false],
  [1, false],
  [null, false],
])('email_verified %j means %j', async (email_verified, verified) => {
  const identity = await tokens.verify(await signWith(es, session({ email_verified })));
  expect(identity.email_verified).toBe(verified);
});

test.each<[string, Record<string, unknown>]>([
  ['one audience of several', { aud: ['other', 'authenticated'] }],
  ['no e-mail', { email: '' }],
  ['no role', { role: undefined }],
  ['no session id', { session_id: undefined }],
  ['issued by a clock 29 s ahead', { iat: seconds + 29 }],
  ['expired 29 s ago', { exp: seconds - 29 }],
  ['23 hours old', { iat: seconds - 23 * 3_600 }],
  ['valid for a week', { iat: seconds, exp: seconds + 7 * DAY }],
])('%s is accepted', async (_what, claims) => {
  expect((await tokens.verify(await signWith(es, session(claims)))).subject).toBe(SUB);
});

test('the type may be missing or that of an OAuth access token', async () => {
  for (const typ of [undefined, 'jwt', 'at+jwt']) {
    expect((await tokens.verify(await signWith(es, session(), { typ }))).subject).toBe(SUB);
  }
});

test('the case of a subject does not matter', async () => {
  expect((await tokens.verify(await signWith(es, session({ sub: SUB.toUpperCase() })))).subject).toBe(SUB);
});

test.each<[unknown, string | null]>([
  ['aal1', 'aal1'],
  ['AAL2', 'AAL2'],
  [undefined, null],
  [null, null],
  [['aal2'], null],
  [2, null],
  [{ level: 'aal2' }, null],
])('the assurance level %j is returned as %j', async (aal, level) => {
  expect((await tokens.verify(await signWith(es, session({ aal })))).aal).toBe(level);
});

test('an assurance level in user_metadata is ignored', async () => {
  const claims = session({ aal: undefined, user_metadata: { aal: 'aal2' }, app_metadata: { aal: 'aal2' } });
  expect((await tokens.verify(await signWith(es, claims))).aal).toBeNull();
});

describe('refused as 401 token_invalid:', () => {
  test.each<[string, Record<string, unknown>]>([
    ['no subject', { sub: undefined }],
    ['a subject in the wrong place', { sub: undefined, user_metadata: { sub: SUB } }],
    ['a subject that is no UUID', { sub: 'admin' }],
    ['a subject with something behind it', { sub: `${SUB}\n` }],
    ['a subject that is a list', { sub: [SUB] }],
    ['a subject that is a number', { sub: 1 }],
    ['no issuer', { iss: undefined }],
    ['another issuer', { iss: 'https://id.marketplace.example' }],
    ['an issuer with a slash more', { iss: `${ISSUER}/` }],
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'anon' }],
    ['an audience that contains ours', { aud: 'authenticated-admin' }],
    ['an empty list of audiences', { aud: [] }],
    ['no end', { exp: undefined }],
    ['an end that is a text', { exp: String(seconds + 60) }],
    ['an end in ten years', { exp: seconds + 10 * 365 * DAY }],
    ['no beginning', { iat: undefined }],
    ['a beginning that is a text', { iat: String(seconds) }],
    ['a beginning in the future', { iat: seconds + 31 }],
    ['not yet valid', { nbf: seconds + 31 }],
    ['a service role', { role: 'service_role' }],
    ['an empty role', { role: '' }],
    ['a list of roles', { role: ['authenticated'] }],
    ['an anonymous user', { is_anonymous: true }],
    ['an anonymous user in words', { is_anonymous: 'true' }],
    ['an e-mail that is an object', { email: { $ne: null } }],
    ['an e-mail with a line break', { email: 'mia@example.com\r\nbcc: x' }],
    ['a session id that is a number', { session_id: 7 }],
  ])('%s', async (_what, claims) => {
    expect(await refusal(await signWith(es, session(claims)))).toBe('401 token_invalid');
  });

  const stranger = testKey('es');
  test.each<[string, Record<string, unknown>]>([
    ['a key it brings along', { jwk: createPublicKey(stranger.privateKey).export({ format: 'jwk' }) }],
    ['a jku', { jku: 'https://attacker.example/jwks.json' }],
    ['an x5u', { x5u: 'https://attacker.example/cert.pem' }],
    ['an x5c', { x5c: ['MIIB'] }],
    ['a kid with a path', { kid: '../../../../dev/null' }],
    ['a kid with SQL', { kid: "es' or '1'='1" }],
    ['a kid that names a property of every object', { kid: '__proto__' }],
    ['a kid that is a number', { kid: 1 }],
    ['a kid that is a list', { kid: ['es'] }],
    ['no kid', { kid: undefined }],
    ['an endless kid', { kid: 'k'.repeat(1_000) }],
    ['our own type', { typ: 'spp-access+jwt' }],
    ['a type that is a number', { typ: 1 }],
  ])('a foreign key with %s', async (_what, header) => {
    expect(await refusal(await signWith(stranger, session(), header))).toBe('401 token_invalid');
  });

  test('the true key with a header that points elsewhere', async () => {
    for (const header of [{ jku: server.url }, { x5u: server.url }]) {
      expect(await refusal(await signWith(es, session(), header))).toBe('401 token_invalid');
    }
  });

  test('another key under a published kid', async () => {
    expect(await refusal(await signWith(stranger, session()))).toBe('401 token_invalid');
  });

  test('the right key with another key’s algorithm', async () => {
    expect(await refusal(await signWith(rs, session(), { kid: 'es' }))).toBe('401 token_invalid');
  });

  test('an RSA key that is too short', async () => {
    const short = testKey('short', 'RS256', 1024);
    server.publish(short);
    const input = `${encode({ alg: 'RS256', kid: 'short' })}.${encode(session())}`;
    const signature = sign('sha256', Buffer.from(input), short.privateKey).toString('base64url');
    expect(await refusal(`${input}.${signature}`, build())).toBe('401 token_invalid');
  });

  test.each(['none', 'None', 'nOnE', ''])('algorithm %j without signature', async (alg) => {
    const unsigned = `${encode({ alg, typ: 'JWT', kid: 'es' })}.${encode(session())}`;
    for (const signature of ['', 'AAAA'])
      expect(await refusal(`${unsigned}.${signature}`)).toBe('401 token_invalid');
  });

  test('HS256 keyed with a published public key, in every form of it', async () => {
    const input = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'rs' })}.${encode(session())}`;
    const pem = createPublicKey(rs.privateKey).export({ format: 'pem', type: 'spki' });
    for (const secret of [pem, JSON.stringify(rs.jwk), String(rs.jwk['n']), '']) {
      const signature = createHmac('sha256', secret).update(input).digest('base64url');
      expect(await refusal(`${input}.${signature}`)).toBe('401 token_invalid');
    }
  });

  test('other algorithms of the same family', async () => {
    for (const alg of ['HS512', 'RS512', 'PS256', 'ES384', 'ES256K']) {
      const [, claims, signature] = (await signWith(rs, session())).split('.');
      expect(await refusal(`${encode({ alg, kid: 'rs' })}.${claims}.${signature}`)).toBe('401 token_invalid');
    }
  });

  test('critical extensions, unencoded payloads and compression', async () => {
    const [, claims, signature] = (await signWith(es, session())).split('.');
    for (const extra of [
      { crit: ['exp'], exp: 1 },
      { crit: [], b64: false },
      { b64: true, crit: ['b64'] },
      { zip: 'DEF' },
    ]) {
      const header = encode({ alg: 'ES256', kid: 'es', ...extra });
      expect(await refusal(`${header}.${claims}.${signature}`)).toBe('401 token_invalid');
    }
  });

  test('claims replaced under a valid signature', async () => {
    const [header, , signature] = (await signWith(es, session())).split('.');
    const claims = encode(session({ sub: '00000000-0000-4000-8000-000000000002' }));
    expect(await refusal(`${header}.${claims}.${signature}`)).toBe('401 token_invalid');
  });

  test.each(['', 'x', '..', 'a.b.c', 'a.b.c.d', 'a.b.c.d.e', '{}', `${'a'.repeat(9_000)}.b.c`, 'e30.e30.'])(
    'the text %j',
    async (text) => {
      expect(await refusal(text)).toBe('401 token_invalid');
    },
  );

  test.each([' ', '\n', '=', '==', '\u0000', '.'])(
    'a good session with %j behind it, which decoders skip',
    async (more) => {
      const token = await signWith(es, session());
      expect(await refusal(token + more)).toBe('401 token_invalid');
      expect(await refusal(more + token)).toBe('401 token_invalid');
    },
  );

  test('a token of this service', async () => {
    const own = createServiceTokens({
      keys: await parseSigningKeys(generateSigningKeys()),
      now: () => NOW,
      issuer: ISSUER,
      audience: 'authenticated',
    });
    const { access_token } = await own.issue({
      seller_id: 'slr_1',
      member_id: SUB,
      sid: 's',
      roles: ['owner'],
      plan: 'Big',
    });
    expect(await refusal(access_token)).toBe('401 token_invalid');
    // And the other way round.
    await expect(own.verify(`Bearer ${await signWith(es, session())}`)).rejects.toMatchObject({
      code: 'token_invalid',
    });
  });
});

describe('refused as 401 token_expired:', () => {
  test.each<[string, Record<string, unknown>]>([
    ['ended an hour ago', { iat: seconds - 7_200, exp: seconds - 3_600 }],
    ['ended 30 s ago', { exp: seconds - 30 }],
    ['more than a day old, whatever its end says', { iat: seconds - DAY - 31, exp: seconds + 3_600 }],
    ['ten years old with an end to come', { iat: seconds - 10 * 365 * DAY, exp: seconds + 3_600 }],
  ])('%s', async (_what, claims) => {
    expect(await refusal(await signWith(es, session(claims)))).toBe('401 token_expired');
  });
});

describe('while the key set cannot be read', () => {
  beforeEach(() => server.answer((response) => response.writeHead(502).end()));

  test('a session that may be valid is 503 with Retry-After', async () => {
    const fresh = build();
    const refused: unknown = await fresh
      .verify(await signWith(es, session()))
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, code: 'marketplace_unavailable' });
    expect(Number((refused as ApiError).headers['retry-after'])).toBeGreaterThan(0);
  });

  test('a token that no key can make valid is 401, without a fetch', async () => {
    const before = server.hits();
    expect(await refusal('nonsense', build())).toBe('401 token_invalid');
    expect(await refusal(await signWith(es, session(), { jku: server.url }), build())).toBe(
      '401 token_invalid',
    );
    expect(server.hits()).toBe(before);
  });
});
