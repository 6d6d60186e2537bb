import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const service = await startTestApp();
const staging = await startTestApp({
  APP_ENV: 'staging',
  MARKETPLACE_ISSUER: 'https://id.example',
  MARKETPLACE_AUDIENCE: 'authenticated',
  MARKETPLACE_JWKS_URL: 'https://id.example/jwks.json',
});

interface Profile {
  readonly seller_id: string;
  readonly tax_id: string;
  readonly code: string;
  readonly detail: unknown;
}
const someone = (): string => `${randomUUID()}@example.com`;
const someTaxId = (): string => String(randomInt(10 ** 13, 10 ** 14));

async function register(email: string, json: unknown, app: TestApp = service) {
  const authorization = `Bearer ${await app.demo.mint({ email, aal: 'aal1' })}`;
  return app.call<Profile>('POST', '/api/v1/auth/register', { json, headers: { authorization } });
}

test('the first time: 201 with the whole profile, and in development the exchange works at once', async () => {
  const email = someone();
  const { status, body, headers } = await register(email, {
    business_name: ' Mia’s Ceramics ',
    tax_id: '51824753556',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    seller_id: expect.stringMatching(/^slr_[0-9a-z]{26}$/),
    business_name: 'Mia’s Ceramics',
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
    status: 'active',
    verified: true,
    api_access: true,
    plan: 'Free',
  });
  expect([headers.get('cache-control'), headers.get('location')]).toEqual(['no-store', '/api/v1/sellers/me']);
  const exchanged = await service.call<{ seller_id: string }>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await service.demo.mint({ email }) },
  });
  expect([exchanged.status, exchanged.body.seller_id]).toEqual([200, body.seller_id]);
});

test('again: 200 with the same profile, whatever name is sent', async () => {
  const email = someone();
  const tax_id = someTaxId();
  const first = await register(email, { business_name: 'First', tax_id });
  const again = await register(email, { business_name: 'Second', tax_id, extra: true });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body).toEqual(first.body);
});

test('with another tax_id: 409 already_registered', async () => {
  const email = someone();
  await register(email, { business_name: 'Shop', tax_id: someTaxId() });
  const { status, body } = await register(email, { business_name: 'Shop', tax_id: someTaxId() });
  expect([status, body.code]).toEqual([409, 'already_registered']);
});

test('with the tax_id of another seller: 409 tax_id_taken, and the attempt leaves no rows', async () => {
  const tax_id = someTaxId();
  const email = someone();
  await register(someone(), { business_name: 'Shop', tax_id });
  const { status, body } = await register(email, { business_name: 'Thief', tax_id });
  expect([status, body.code]).toEqual([409, 'tax_id_taken']);
  const own = await register(email, { business_name: 'Honest', tax_id: someTaxId() });
  expect(own.status).toBe(201);
  const { rows } = await runOn(service.database.adminUrl, (client) =>
    client.query("select business_name from seller where business_name in ('Thief', 'Honest')"),
  );
  expect(rows).toEqual([{ business_name: 'Honest' }]);
});

test('leading zeros are part of a tax_id', async () => {
  const tax_id = `00${someTaxId()}`;
  const { body } = await register(someone(), { business_name: 'Shop', tax_id });
  expect(body.tax_id).toBe(tax_id);
  expect((await register(someone(), { business_name: 'Shop', tax_id: tax_id.slice(2) })).status).toBe(201);
});

describe('at the same time', () => {
  test('one identity becomes one seller: one 201, the rest 200 with the same profile', async () => {
    const email = someone();
    const tax_id = someTaxId();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => register(email, { business_name: 'Shop', tax_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.seller_id)).size).toBe(1);
  });

  test('one tax_id becomes one seller: one 201, the rest 409', async () => {
    const tax_id = someTaxId();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => register(someone(), { business_name: 'Shop', tax_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(['tax_id_taken']),
    );
  });

  test('one identity with two tax_ids keeps the first', async () => {
    const email = someone();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => register(email, { business_name: 'Shop', tax_id: someTaxId() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

test.each<[string, object, string, string]>([
  ['no name', { tax_id: '1' }, 'business_name', 'missing'],
  ['an empty name', { business_name: '', tax_id: '1' }, 'business_name', 'string_too_short'],
  ['blanks as a name', { business_name: ' \t ', tax_id: '1' }, 'business_name', 'string_pattern_mismatch'],
  ['a NUL in the name', { business_name: 'a\u0000b', tax_id: '1' }, 'business_name', 'text_invalid'],
  ['half a character', { business_name: 'a\ud800b', tax_id: '1' }, 'business_name', 'text_invalid'],
  [
    'a name of 201 characters',
    { business_name: 'a'.repeat(201), tax_id: '1' },
    'business_name',
    'string_too_long',
  ],
  ['no tax_id', { business_name: 'Shop' }, 'tax_id', 'missing'],
  ['an empty tax_id', { business_name: 'Shop', tax_id: '' }, 'tax_id', 'string_pattern_mismatch'],
  ['a number', { business_name: 'Shop', tax_id: 51824753556 }, 'tax_id', 'string_type'],
  [
    'blanks in the tax_id',
    { business_name: 'Shop', tax_id: '51 824 753 556' },
    'tax_id',
    'string_pattern_mismatch',
  ],
  ['a line break behind it', { business_name: 'Shop', tax_id: '518\n' }, 'tax_id', 'string_pattern_mismatch'],
  ['other digits', { business_name: 'Shop', tax_id: '٣٤٥' }, 'tax_id', 'string_pattern_mismatch'],
  ['21 digits', { business_name: 'Shop', tax_id: '1'.repeat(21) }, 'tax_id', 'string_too_long'],
])('%s is 422', async (_what, json, field, type) => {
  const { status, body } = await register(someone(), json);
  expect(status).toBe(422);
  expect(body.detail).toContainEqual(expect.objectContaining({ loc: ['body', field], type }));
});

test('the session is checked first: without one, 401 for any body', async () => {
  const send = (authorization?: string) =>
    service.call<Profile>('POST', '/api/v1/auth/register', {
      json: {},
      headers: authorization === undefined ? {} : { authorization },
    });
  const missing = await send();
  expect(missing).toMatchObject({ status: 401, body: { code: 'token_missing' } });
  expect(missing.body.detail).toContain('marketplace token');
  expect((await send('Basic bm8=')).body.detail).toContain('must begin with "Bearer "');
  expect(await send('Bearer nonsense')).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  const { token } = await service.seller();
  expect(await send(`Bearer ${token}`)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
});

describe('outside development', () => {
  test('a new seller gets 403 until the marketplace enables it', async () => {
    const email = someone();
    const { status, body } = await register(email, { business_name: 'Shop', tax_id: someTaxId() }, staging);
    expect([status, body]).toMatchObject([201, { verified: false, api_access: false, plan: 'Free' }]);
    const exchange = async () =>
      staging.call<Profile>('POST', '/api/v1/auth/exchange', {
        json: { marketplace_token: await staging.demo.mint({ email }) },
      });
    const grant = (data: object) =>
      staging.events({
        specversion: '1.0',
        id: randomUUID(),
        source: '/test',
        type: 'marketplace.seller.standing_changed',
        subject: body.seller_id,
        sellerid: body.seller_id,
        time: new Date(staging.app.services.now()).toISOString(),
        data,
      });
    expect(await exchange()).toMatchObject({ status: 403, body: { code: 'seller_not_verified' } });
    await grant({ verified: true });
    expect(await exchange()).toMatchObject({ status: 403, body: { code: 'api_access_disabled' } });
    await grant({ verified: true, api_access: true, plan: 'Big' });
    expect((await exchange()).status).toBe(200);
  });
});
