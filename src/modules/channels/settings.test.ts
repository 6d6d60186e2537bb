import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../config.ts';
import { channelSettings, storePlatformOf } from './settings.ts';

const read = (env: Readonly<Record<string, string>>) => readConfig(env, [channelSettings]);
const APP = { STORE_PLATFORM_CLIENT_ID: 'app', STORE_PLATFORM_SECRETS: 'new, old' };

test('the store platform has its own address for each store, and the first secret is sent', () => {
  const platform = storePlatformOf({ ...read(APP), PUBLIC_URL: 'https://api.example' });
  expect(platform.addressOf('a.myshopify.com')).toBe('https://a.myshopify.com');
  expect(platform.secrets).toEqual(['new', 'old']);
  expect(platform.callbackUrl).toBe('https://api.example/api/v1/channels/oauth/callback/shopify');
});

test('without a client id there is none', () => {
  expect(() => storePlatformOf(read({}))).toThrow('no store platform');
});

test('the address of stores is https in production, and may be http on loopback elsewhere', () => {
  const base = { STORE_PLATFORM_BASE_URL: 'http://127.0.0.1:4000/stores/{shop}' };
  expect(channelSettings.of(read({ ...APP, ...base })).STORE_PLATFORM_BASE_URL).toBe(
    base.STORE_PLATFORM_BASE_URL,
  );
  const problem = 'STORE_PLATFORM_BASE_URL: allowed: https';
  expect(() => read({ ...APP, ...base, APP_ENV: 'production' })).toThrow(problem);
  const https = { STORE_PLATFORM_BASE_URL: 'https://{shop}' };
  // Production needs other settings too; none of the problems is about this one.
  expect(() => read({ ...APP, ...https, APP_ENV: 'production' })).not.toThrow('STORE_PLATFORM_BASE_URL');
});

test.each([
  ['STORE_PLATFORM_SECRETS', { STORE_PLATFORM_CLIENT_ID: 'app' }],
  ['STORE_PLATFORM_BASE_URL', { ...APP, STORE_PLATFORM_BASE_URL: 'https://stores.example' }],
  ['STORE_PLATFORM_BASE_URL', { ...APP, STORE_PLATFORM_BASE_URL: 'http://stores.example/{shop}' }],
  ['STORE_PLATFORM_API_VERSION', { ...APP, STORE_PLATFORM_API_VERSION: 'latest' }],
])('%s is refused with its name in %j', (name, env) => {
  expect(() => read(env)).toThrow(ConfigError);
  expect(() => read(env)).toThrow(name);
});
