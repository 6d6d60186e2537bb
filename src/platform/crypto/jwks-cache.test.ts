import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KeySetServer, startKeySetServer, testKey } from '../../../test/support/key-set-server.ts';
import type { Logger } from '../../kernel/context.ts';
import {
  createJwksCache,
  JWKS_MAX_AGE_MS,
  type JwksCache,
  JwksUnavailable,
  UNKNOWN_KEY_PAUSE_MS,
} from './jwks-cache.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const first = testKey('first');
const second = testKey('second');
const header = (key: { kid: string; alg: string }) => ({ alg: key.alg, kid: key.kid });
const stranger = (n = 0) => ({ alg: 'ES256', kid: `stranger-${n}` });

let now = 0;
let server: KeySetServer;
let cache: JwksCache;
const build = (more: object = {}): JwksCache =>
  createJwksCache({ url: server.url, systemNow: () => now, log: silent, timeoutMs: 200, ...more });

beforeEach(async () => {
  now = 1_000_000;
  server = await startKeySetServer(first);
  cache = build();
});
afterEach(() => server.close());

const fails = (response: { statusCode: number; end(text?: string): void }): void => {
  response.statusCode = 500;
  response.end('broken');
};

test('the first token fetches the key set, which is cached for ten minutes', async () => {
  expect(server.hits()).toBe(0);
  await cache.keyFor(header(first));
  now += JWKS_MAX_AGE_MS - 1;
  await cache.keyFor(header(first));
  expect(server.hits()).toBe(1);
  now += 1;
  await cache.keyFor(header(first));
  expect(server.hits()).toBe(2);
});

test('simultaneous tokens share one fetch', async () => {
  await Promise.all(Array.from({ length: 50 }, () => cache.keyFor(header(first))));
  expect(server.hits()).toBe(1);
});

test('a key published after the last fetch is found at once', async () => {
  await cache.keyFor(header(first));
  server.publish(second, first);
  await cache.keyFor(header(second));
  await cache.keyFor(header(first));
  expect(server.hits()).toBe(2);
});

test('unknown key ids fetch at most once in 30 seconds', async () => {
  await cache.keyFor(header(first));
  for (let n = 0; n < 40; n += 1)
    await expect(cache.keyFor(stranger(n))).rejects.toThrow(/no applicable key/);
  expect(server.hits()).toBe(2);
  await Promise.all(Array.from({ length: 40 }, (_, n) => cache.keyFor(stranger(n)).catch(() => undefined)));
  expect(server.hits()).toBe(2);
  // A new key has to wait for the pause to end, then it is found.
  server.publish(second);
  await expect(cache.keyFor(header(second))).rejects.toThrow(/no applicable key/);
  now += UNKNOWN_KEY_PAUSE_MS;
  await cache.keyFor(header(second));
  expect(server.hits()).toBe(3);
});

test('simultaneous unknown key ids share one fetch', async () => {
  await cache.keyFor(header(first));
  server.publish(second);
  await Promise.all(Array.from({ length: 20 }, () => cache.keyFor(header(second))));
  expect(server.hits()).toBe(2);
});

test('a removed key is refused after the next fetch', async () => {
  await cache.keyFor(header(first));
  server.publish(second);
  await cache.keyFor(header(second));
  await expect(cache.keyFor(header(first))).rejects.toThrow(/no applicable key/);
});

test('while the marketplace is down, cached keys are used for ten minutes', async () => {
  await cache.keyFor(header(first));
  server.answer(fails);
  now += JWKS_MAX_AGE_MS - 1;
  await cache.keyFor(header(first));
  now += 1;
  await expect(cache.keyFor(header(first))).rejects.toThrow(JwksUnavailable);
});

test('after an outage the next request works again', async () => {
  server.answer(fails);
  await expect(cache.keyFor(header(first))).rejects.toThrow(JwksUnavailable);
  server.answer(undefined);
  now += 1_000;
  await cache.keyFor(header(first));
});

test('a burst of requests in an outage causes one fetch', async () => {
  server.answer(fails);
  for (let n = 0; n < 20; n += 1) await expect(cache.keyFor(header(first))).rejects.toThrow(JwksUnavailable);
  expect(server.hits()).toBe(1);
});

test('an unknown key during an outage is 503 and not 401', async () => {
  await cache.keyFor(header(first));
  server.answer(fails);
  await expect(cache.keyFor(header(second))).rejects.toThrow(JwksUnavailable);
  await expect(cache.keyFor(header(second))).rejects.toThrow(JwksUnavailable);
  expect(server.hits()).toBe(2);
  // Known keys are still used.
  await cache.keyFor(header(first));
});

test.each<[string, (response: import('node:http').ServerResponse) => void]>([
  ['an answer that never comes', () => {}],
  [
    'an answer that never ends',
    (response) => {
      response.write('{"keys":[');
    },
  ],
  ['a page instead of a key set', (response) => response.end('<html>')],
  ['JSON that is no key set', (response) => response.end('{"keys":{}}')],
  ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['an endless key set', (response) => response.end(`{"keys":[],"x":"${'a'.repeat(300_000)}"}`)],
  ['a connection that is cut', (response) => response.destroy()],
])('%s is an outage', async (_what, by) => {
  server.answer(by);
  const started = performance.now();
  await expect(cache.keyFor(header(first))).rejects.toThrow(JwksUnavailable);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('an address without a listener is an outage', async () => {
  await server.close();
  await expect(build().keyFor(header(first))).rejects.toThrow(JwksUnavailable);
});

test('keys without a name, symmetric keys and keys for encryption are never chosen', async () => {
  const hidden = testKey('hidden');
  server.publish(
    { ...hidden, jwk: { ...hidden.jwk, kid: undefined } },
    { ...first, kid: 'enc', jwk: { ...first.jwk, kid: 'enc', use: 'enc' } },
    { ...first, kid: 'oct', jwk: { kty: 'oct', k: 'AAAA', kid: 'oct' } },
  );
  for (const kid of ['hidden', 'enc', 'oct']) {
    await expect(cache.keyFor({ alg: 'ES256', kid })).rejects.toThrow(/no applicable key/);
  }
});

test('a key is not used with another key’s algorithm', async () => {
  await expect(cache.keyFor({ alg: 'RS256', kid: first.kid })).rejects.toThrow(/no applicable key/);
});
