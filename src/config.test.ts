import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig, SETTINGS } from './config.ts';
import { openedRanges, webhookSettings } from './modules/webhooks/settings.ts';
import { MODULE_SETTINGS } from './modules.ts';
import { generateSigningKeys } from './platform/crypto/signing-keys.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = {
  APP_ENV: 'production',
  DATABASE_URL: 'postgres://spp_service:secret@db.example/spp',
  PUBLIC_URL: 'https://api.marketplace.example',
  MARKETPLACE_ISSUER: 'https://id.marketplace.example/auth/v1',
  MARKETPLACE_AUDIENCE: 'authenticated',
  MARKETPLACE_JWKS_URL: 'https://id.marketplace.example/auth/v1/.well-known/jwks.json',
  TOKEN_SIGNING_KEYS: generateSigningKeys(),
  SECRETS_KEY,
  INTERNAL_TOKEN: 'a-token-that-is-hard-to-guess',
};

const read = (env: Record<string, string | undefined>) => readConfig(env, MODULE_SETTINGS);
const webhooks = (env: Record<string, string | undefined>) => webhookSettings.of(read(env));

/** The variables that the error names. */
function refused(env: Record<string, string | undefined>): { names: string[]; message: string } {
  try {
    read(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const names = [...error.message.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) => name);
    return { names: names.sort(), message: error.message };
  }
  return { names: [], message: '' };
}

test('development needs nothing', () => {
  expect(read({})).toMatchObject({ APP_ENV: 'development', PORT: 8080, CLOCK: 'system' });
  expect(read({ PORT: '', ROLE: '' })).toMatchObject({ PORT: 8080, ROLE: 'all' });
});

test('in production the payment provider is reached by https only', () => {
  const base = (PAYMENT_PROVIDER_API_BASE: string, env = {}) =>
    refused({ ...env, PAYMENT_PROVIDER_API_BASE }).names;
  const wrong = ['PAYMENT_PROVIDER_API_BASE'];
  expect(base('http://127.0.0.1:9', PRODUCTION)).toEqual(wrong);
  expect(base('http://api.example', PRODUCTION)).toEqual(wrong);
  expect(base('ftp://api.example', PRODUCTION)).toEqual(wrong);
  expect(base('https://api.example', PRODUCTION)).toEqual([]);
  expect(base('http://127.0.0.1:9')).toEqual([]);
  expect(base('http://api.example')).toEqual(wrong);
});

test('every bad variable is named at once, with what is allowed', () => {
  const { names, message } = refused({
    ...PRODUCTION,
    PORT: '80800',
    ROLE: 'both',
    DATABASE_URL: 'mysql://x',
    SECRETS_KEY: 'c2hvcnQ=',
    TOKEN_SIGNING_KEYS: '{"kty":"OKP"}',
    RATE_LIMITS: 'read=0/60',
    CLOCK: 'manual',
    INTERNAL_TOKEN: 'short',
    MARKETPLACE_ISSUER: 'http://id.marketplace.example',
  });
  expect(names).toEqual([
    'CLOCK',
    'DATABASE_URL',
    'INTERNAL_TOKEN',
    'MARKETPLACE_ISSUER',
    'PORT',
    'RATE_LIMITS',
    'ROLE',
    'SECRETS_KEY',
    'TOKEN_SIGNING_KEYS',
  ]);
  expect(message).toContain('ROLE: "both" is not allowed; allowed: all | api | worker');
});

test('values of secrets are not shown', () => {
  const secret = 'mysql://user:hunter2@db.example/x';
  const { message } = refused({
    DATABASE_URL: secret,
    SECRETS_KEY: 'hunter2',
    TOKEN_SIGNING_KEYS: 'hunter2',
  });
  expect(message).not.toContain('hunter2');
});

test('the internal token may list the previous token after the new one; each must be long enough', () => {
  const [now, before] = ['a-token-that-is-hard-to-guess', 'the-one-that-was-used-so-far'];
  expect(refused({ ...PRODUCTION, INTERNAL_TOKEN: `${now},${before}` }).names).toEqual([]);
  for (const wrong of [`${now},`, `${now},short`, ','])
    expect(refused({ ...PRODUCTION, INTERNAL_TOKEN: wrong }).names).toEqual(['INTERNAL_TOKEN']);
});

test('proxies are addresses or ranges', () => {
  const proxies = '10.0.0.0/8, 192.0.2.7,2001:db8::/32';
  expect(read({ TRUSTED_PROXIES: proxies }).TRUSTED_PROXIES).toHaveLength(3);
  for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/1', '10.0.0/8', '::/129', '10.0.0.0/', 'all'])
    expect(refused({ TRUSTED_PROXIES: `127.0.0.1,${wrong}` }).names).toEqual(['TRUSTED_PROXIES']);
});

test('webhooks have a schedule of seconds, and ranges that are opened', () => {
  const day = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  expect(webhooks({}).WEBHOOK_RETRY_SCHEDULE).toEqual(day);
  expect(webhooks({ WEBHOOK_RETRY_SCHEDULE: '0, 1,60' }).WEBHOOK_RETRY_SCHEDULE).toEqual([0, 1, 60]);
  for (const wrong of ['0,soon', '-1', '1.5', '0,,5', '99999999'])
    expect(refused({ WEBHOOK_RETRY_SCHEDULE: wrong }).names).toEqual(['WEBHOOK_RETRY_SCHEDULE']);
  expect(webhooks({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,::1' }).WEBHOOK_ALLOWED_CIDRS).toHaveLength(2);
  for (const wrong of ['127.0.0.0/33', 'localhost', '10/8'])
    expect(refused({ WEBHOOK_ALLOWED_CIDRS: wrong }).names).toEqual(['WEBHOOK_ALLOWED_CIDRS']);
});

test('webhooks may reach loopback in development only, and there unless other ranges are opened', () => {
  const ranges = (env: Record<string, string>) =>
    openedRanges(read(env)).map(([address, bits]) => `${address}/${bits}`);
  expect(ranges({})).toEqual(['127.0.0.0/8', '::1/128']);
  expect(ranges({ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8' })).toEqual(['10.0.0.0/8']);
  expect(ranges(PRODUCTION)).toEqual([]);
  expect(ranges({ ...PRODUCTION, APP_ENV: 'staging' })).toEqual([]);
});

test('a carrier account needs all of its settings, and an address with https', () => {
  const account = { CARRIER_API_KEY: 'k', CARRIER_API_PASSWORD: 'p', CARRIER_API_ACCOUNT: '1' };
  expect(read(account)).toMatchObject(account);
  expect(refused({ CARRIER_API_KEY: 'k' }).names).toEqual(['CARRIER_API_ACCOUNT', 'CARRIER_API_PASSWORD']);
  const open = refused({ ...account, CARRIER_API_BASE_URL: 'http://carrier.example' });
  expect(open.names).toEqual(['CARRIER_API_BASE_URL']);
  expect(read({ ...account, CARRIER_API_BASE_URL: 'http://127.0.0.1:9' })).toBeDefined();
});

describe('production', () => {
  test('starts with all required settings, and names each one that is missing', () => {
    expect(read(PRODUCTION).APP_ENV).toBe('production');
    const required = [
      'INTERNAL_TOKEN',
      'MARKETPLACE_AUDIENCE',
      'MARKETPLACE_ISSUER',
      'MARKETPLACE_JWKS_URL',
      'SECRETS_KEY',
      'TOKEN_SIGNING_KEYS',
    ];
    for (const name of required) expect(refused({ ...PRODUCTION, [name]: '' }).names).toEqual([name]);
    expect(refused({ APP_ENV: 'production' }).names).toEqual(required);
  });

  test.each(['MARKETPLACE_ISSUER', 'MARKETPLACE_JWKS_URL', 'PUBLIC_URL'])(
    '%s is https, or http on loopback',
    (name) => {
      expect(refused({ ...PRODUCTION, [name]: 'http://id.marketplace.example' }).names).toEqual([name]);
      expect(refused({ ...PRODUCTION, [name]: 'http://127.0.0.1.example' }).names).toEqual([name]);
      expect(refused({ ...PRODUCTION, [name]: 'http://127.0.0.1:9000/x' }).names).toEqual([]);
    },
  );

  test('refuses the manual clock', () => {
    expect(refused({ ...PRODUCTION, CLOCK: 'manual' }).names).toEqual(['CLOCK']);
  });
});

describe('the identity provider', () => {
  test('is the demo in development only, and needs all of its settings or none', () => {
    const half = { MARKETPLACE_ISSUER: 'https://id.marketplace.example' };
    expect(refused(half).names).toEqual(['MARKETPLACE_AUDIENCE', 'MARKETPLACE_JWKS_URL']);
    expect(refused({ APP_ENV: 'staging' }).names).toEqual([
      'MARKETPLACE_AUDIENCE',
      'MARKETPLACE_ISSUER',
      'MARKETPLACE_JWKS_URL',
    ]);
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spp-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const { SECRETS_KEY: _, ...others } = PRODUCTION;

  test('is read without the line break at its end, for every secret setting', () => {
    const secrets = [SETTINGS, ...MODULE_SETTINGS.map(({ table }) => table)].flatMap((table) =>
      Object.entries(table).filter(([, { secret }]: [string, { secret?: true }]) => secret),
    );
    expect(secrets.length).toBeGreaterThan(6);
    const given: Record<string, string> = {
      ...PRODUCTION,
      CARRIER_API_KEY: 'a-key',
      CARRIER_API_PASSWORD: 'a-password',
      CARRIER_API_ACCOUNT: '1234567890',
      ABR_GUID: 'a-guid',
    };
    const env: Record<string, string | undefined> = { ...given };
    for (const [name] of secrets) {
      if (given[name] === undefined) continue;
      env[name] = undefined;
      env[`${name}_FILE`] = file(name, `${given[name]}\n`);
    }
    expect(read(env)).toEqual(read(given));
  });

  test('that does not exist, is empty or is given twice is refused by name, without the secret', () => {
    const wrong = (env: Record<string, string>) => refused({ ...others, ...env });
    expect(wrong({ SECRETS_KEY_FILE: join(folder, 'none') })).toEqual({
      names: ['SECRETS_KEY_FILE'],
      message: expect.stringContaining('cannot be read (ENOENT); allowed: the path of a file'),
    });
    expect(wrong({ SECRETS_KEY_FILE: file('empty', '\n') }).message).toContain('is empty');
    expect(wrong({ SECRETS_KEY_FILE: file('full', SECRETS_KEY), SECRETS_KEY }).message).toContain(
      'SECRETS_KEY is set too; set one of the two',
    );
    expect(wrong({ SECRETS_KEY_FILE: file('bad', 'hunter2') })).toEqual({
      names: ['SECRETS_KEY'],
      message: expect.not.stringContaining('hunter2'),
    });
  });
});
