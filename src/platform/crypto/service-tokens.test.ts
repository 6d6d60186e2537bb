import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TokenPrincipal } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import {
  createServiceTokens,
  SERVICE_TOKEN_SECONDS,
  SERVICE_TOKEN_TYPE,
  type ServiceTokens,
} from './service-tokens.ts';
import { generateSigningKeys, parseSigningKeys, type SigningKeys } from './signing-keys.ts';

const START = Date.parse('2026-03-02T01:02:03.456Z');
const ISSUER = 'https://partner.example';
const AUDIENCE = 'https://partner.example/api';
const SUBJECT = {
  seller_id: 'slr_1',
  member_id: 'mbr_1',
  sid: 'ses_1',
  roles: ['catalogue', 'finance'],
  plan: 'Small',
} as const;

let now = START;
let keys: SigningKeys;
let tokens: ServiceTokens;
const build = (signing: SigningKeys, more: object = {}): ServiceTokens =>
  createServiceTokens({ keys: signing, now: () => now, issuer: ISSUER, audience: AUDIENCE, ...more });

beforeEach(async () => {
  now = START;
  keys = await parseSigningKeys(generateSigningKeys());
  tokens = build(keys);
});

const bearer = async (): Promise<string> => `Bearer ${(await tokens.issue(SUBJECT)).access_token}`;

/** Code of the refusal; an accepted token fails the test. */
async function refusal(authorization: string | undefined, by = tokens): Promise<string> {
  try {
    await by.verify(authorization);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const refused = error as ApiError;
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    return refused.code;
  }
  throw new Error('the token was taken');
}

test('an issued token names its seller and expires after 15 minutes', async () => {
  const issued = await tokens.issue(SUBJECT);
  expect(issued.expires_in).toBe(900);
  expect(issued.expires_at).toBe('2026-03-02T01:17:03.000Z');
  expect(decodeProtectedHeader(issued.access_token)).toEqual({
    alg: 'EdDSA',
    typ: SERVICE_TOKEN_TYPE,
    kid: keys.signer.kid,
  });
  const { member_id, plan, ...shared } = SUBJECT;
  expect(decodeJwt(issued.access_token)).toMatchObject({ ...shared, plan, sub: member_id });
  const principal: TokenPrincipal = await tokens.verify(`Bearer ${issued.access_token}`);
  expect(principal).toMatchObject({ ...shared, member_id, kid: keys.signer.kid });
  expect(principal.permissions).toContain('catalogue:write');
  expect(principal.permissions).not.toContain('team:read');
});

test('the published key set verifies it', async () => {
  const { access_token } = await tokens.issue(SUBJECT);
  const set = createLocalJWKSet({ keys: tokens.jwks().keys.map((key) => ({ ...key })) });
  const { payload } = await jwtVerify(access_token, set, {
    issuer: ISSUER,
    audience: AUDIENCE,
    currentDate: new Date(now),
  });
  expect(payload.sub).toBe('mbr_1');
  expect(JSON.stringify(tokens.jwks())).not.toContain('"d"');
});

test('a verified token is cached, and answered synchronously until it expires', async () => {
  const authorization = await bearer();
  const first = await tokens.verify(authorization);
  expect(tokens.verify(authorization)).toBe(first);
  now += SERVICE_TOKEN_SECONDS * 1000 - 457;
  expect(tokens.verify(authorization)).toBe(first);
  now += 1;
  expect(await refusal(authorization)).toBe('token_expired');
  expect(await refusal(authorization)).toBe('token_expired');
  // A token that is first verified after its end is refused as well.
  expect(await refusal(authorization, build(keys))).toBe('token_expired');
});

test('a new signing key in front ends no session; a dropped one does', async () => {
  const authorization = await bearer();
  const rotated: SigningKeys = await (async () => {
    const fresh = await parseSigningKeys(generateSigningKeys());
    return {
      signer: fresh.signer,
      verifiers: new Map([...fresh.verifiers, ...keys.verifiers]),
      published: [...fresh.published, ...keys.published],
    };
  })();
  const after = build(rotated);
  expect((await after.verify(authorization)).kid).toBe(keys.signer.kid);
  const { access_token } = await after.issue(SUBJECT);
  expect(decodeProtectedHeader(access_token).kid).toBe(rotated.signer.kid);
  expect(await refusal(authorization, build(await parseSigningKeys(generateSigningKeys())))).toBe(
    'token_invalid',
  );
});

test.each<[string | undefined, string]>([
  [undefined, 'token_missing'],
  ['', 'token_missing'],
  ['Bearer', 'token_invalid'],
  ['Bearer ', 'token_invalid'],
  ['Basic dXNlcjpwYXNz', 'token_invalid'],
  ['Bearer a b', 'token_invalid'],
  ['Bearer not-a-jwt', 'token_invalid'],
  ['Bearer ..', 'token_invalid'],
  [`Bearer ${'a'.repeat(9_000)}`, 'token_invalid'],
  ['Bearer ey\u0000', 'token_invalid'],
])('the header %j is %s', async (authorization, code) => {
  expect(await refusal(authorization)).toBe(code);
});

test('the scheme is read in any case', async () => {
  const authorization = await bearer();
  expect((await tokens.verify(authorization.replace('Bearer', 'bEARER'))).seller_id).toBe('slr_1');
});

describe('forged tokens are token_invalid:', () => {
  interface Forgery {
    readonly header?: Record<string, unknown>;
    readonly claims?: Record<string, unknown>;
    readonly key?: KeyObject;
  }
  const seconds = Math.floor(START / 1000);
  /** The service's own token with something changed, signed by the true key unless another is given. */
  const forge = async ({ header = {}, claims = {}, key }: Forgery): Promise<string> => {
    const all = {
      seller_id: 'slr_1',
      roles: ['owner'],
      sid: 'ses_1',
      sub: 'mbr_1',
      iss: ISSUER,
      aud: AUDIENCE,
      iat: seconds,
      exp: seconds + 900,
    };
    const signed = await new SignJWT(JSON.parse(JSON.stringify({ ...all, ...claims })))
      .setProtectedHeader(
        JSON.parse(
          JSON.stringify({ alg: 'EdDSA', typ: SERVICE_TOKEN_TYPE, kid: keys.signer.kid, ...header }),
        ),
      )
      .sign(key ?? keys.signer.key);
    return `Bearer ${signed}`;
  };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('a token of the forger without changes is valid', async () => {
    expect((await tokens.verify(await forge({}))).seller_id).toBe('slr_1');
  });

  const foreign = generateKeyPairSync('ed25519').privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const without = (name: string) => ({ claims: { [name]: undefined } });
  test.each<[string, Forgery]>([
    ['a foreign key under our kid', { key: foreign }],
    [
      'another key in the token’s own header',
      { key: foreign, header: { jwk: createPublicKey(foreign).export({ format: 'jwk' }) } },
    ],
    ['a foreign key behind a jku', { key: foreign, header: { jku: 'https://attacker.example/jwks.json' } }],
    ['no kid', { header: { kid: undefined } }],
    ['an unknown kid', { header: { kid: 'other' } }],
    ['a kid that names a property of every object', { header: { kid: '__proto__' } }],
    ['a kid with a path', { header: { kid: '../../dev/null' } }],
    ['a kid that is a list', { header: { kid: ['a'] } }],
    ['another algorithm', { key: ec, header: { alg: 'ES256' } }],
    ['no type', { header: { typ: undefined } }],
    ['the type of ordinary tokens', { header: { typ: 'JWT' } }],
    ['another issuer', { claims: { iss: 'https://marketplace.example' } }],
    ['another audience', { claims: { aud: 'authenticated' } }],
    ['no issuer', without('iss')],
    ['no audience', without('aud')],
    ['no end', without('exp')],
    ['no beginning', without('iat')],
    ['no member', without('sub')],
    ['no seller', without('seller_id')],
    ['no session', without('sid')],
    ['no roles', without('roles')],
    ['a seller that is an object', { claims: { seller_id: { $ne: '' } } }],
    ['an end that is a text', { claims: { exp: '9999999999' } }],
    ['not yet valid', { claims: { nbf: seconds + 60 } }],
  ])('%s', async (_what, forgery) => {
    expect(await refusal(await forge(forgery))).toBe('token_invalid');
  });

  test('an unknown role gives no permission', async () => {
    const principal = await tokens.verify(await forge({ claims: { roles: ['root', 'viewer', 7] } }));
    expect(principal.roles).toEqual(['viewer']);
    expect(principal.permissions).not.toContain('catalogue:write');
  });

  test('permissions beyond the roles are ignored', async () => {
    const principal = await tokens.verify(
      await forge({ claims: { roles: ['viewer'], permissions: ['finance:write'] } }),
    );
    expect(principal.permissions).not.toContain('finance:write');
  });

  test.each(['none', 'None', 'NONE', ''])('algorithm %j with no signature', async (alg) => {
    const [, claims] = (await forge({})).split('.');
    const header = encode({ alg, typ: SERVICE_TOKEN_TYPE, kid: keys.signer.kid });
    expect(await refusal(`Bearer ${header}.${claims}.`)).toBe('token_invalid');
  });

  test('HS256 keyed with the public key', async () => {
    const [, claims] = (await forge({})).split('.');
    const header = encode({ alg: 'HS256', typ: SERVICE_TOKEN_TYPE, kid: keys.signer.kid });
    for (const secret of [keys.published[0]?.x ?? '', JSON.stringify(keys.published[0])]) {
      const signature = createHmac('sha256', secret).update(`${header}.${claims}`).digest('base64url');
      expect(await refusal(`Bearer ${header}.${claims}.${signature}`)).toBe('token_invalid');
    }
  });

  test('claims under the signature of another token', async () => {
    const [header, , signature] = (await forge({})).split('.');
    const claims = encode({ ...decodeJwt((await forge({})).slice(7)), seller_id: 'slr_2' });
    expect(await refusal(`${header}.${claims}.${signature}`)).toBe('token_invalid');
  });

  test('a token of another installation with the same name but its own key', async () => {
    const other = build(await parseSigningKeys(generateSigningKeys()));
    expect(await refusal(`Bearer ${(await other.issue(SUBJECT)).access_token}`)).toBe('token_invalid');
  });

  test('a verified token with one changed character is not in the cache', async () => {
    const authorization = await bearer();
    await tokens.verify(authorization);
    const last = authorization.at(-1) === 'A' ? 'B' : 'A';
    const middle = authorization.length - 20;
    const changed =
      authorization.slice(0, middle) +
      (authorization[middle] === 'A' ? 'B' : 'A') +
      authorization.slice(middle + 1);
    expect(await refusal(changed)).toBe('token_invalid');
    expect(await refusal(`${authorization}${last}`)).toBe('token_invalid');
  });
});
