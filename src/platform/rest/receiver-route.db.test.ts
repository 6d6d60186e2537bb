/** A receiver: the requests that it refuses, what it stores, and its rate limit. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { platformModule } from '../../modules/platform/index.ts';
import { systemNow } from '../db/clock.ts';
import { mountRoute } from '../http/mount.ts';
import { createRateLimiter } from '../http/rate.ts';
import { createServer } from '../http/server.ts';
import { createTraffic } from '../http/traffic.ts';
import { passThrough } from '../trace/tracer.ts';
import { receiverRoute, refuseSignature } from './receiver-route.ts';

const { services } = (await startTestApp()).app;
const signatureOf = (body: string | Buffer) => createHmac('sha256', 'secret').update(body).digest('hex');
let connected = true;
const stored: string[] = [];
const route = receiverRoute({
  id: 'test.callbacks.receive',
  summary: 'Receive',
  description: 'Receives.',
  area: { name: 'test', title: 'The receiver' },
  bytesMax: 100,
  example: '{}',
  isConfigured: () => connected,
  verify: (_, { bytes, values }) => {
    const [signature, ...more] = values('x-signature');
    if (more.length > 0 || signature !== signatureOf(bytes)) refuseSignature();
    return bytes.toString('utf8');
  },
  store: async (_, texts) => void stored.push(...texts),
});
const log = pino({ level: 'silent' });
const limits = { enabled: true, overrides: { public: { quota: 3, seconds: 3600 } } };
const server = createServer({
  log,
  traffic: createTraffic({ maxInFlight: 100, maxWaiting: 100 }),
  https: false,
  tracer: passThrough,
  trustedProxies: ['127.0.0.1'],
  corsOrigins: [],
  observe: () => undefined,
  systemNow,
  rateHeaders: () => undefined,
  notFound: () => Promise.reject(new Error('not found')),
});
const deps = {
  services,
  rate: createRateLimiter({ limits, withSystem: services.withSystem, log, systemNow }),
  verifyToken: () => refuseSignature(),
  strict: true,
};
mountRoute(server, deps, { module: platformModule, route }, '/callbacks');
const url = await server.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => server.close());

beforeEach(() => {
  stored.length = 0;
});
/** Each test has an address of its own, so that no limit counts the requests of another. */
const addresses = Array.from({ length: 100 }, (_, at) => at);
async function post(body: string | Buffer, headers: Record<string, string> = {}, from = addresses.pop()) {
  const answer = await fetch(`${url}/callbacks`, {
    method: 'POST',
    headers: { 'x-forwarded-for': `10.0.0.${from}`, 'x-signature': signatureOf(body), ...headers },
    body: body as NonNullable<RequestInit['body']>,
  });
  const shown = (await answer.json()) as { code?: string };
  return [answer.status, shown.code ?? shown] as const;
}

test('a signed body is stored byte by byte and acknowledged; a bearer token is ignored', async () => {
  const body = '{"a": 1,  "b":"ü"}';
  expect(await post(body, { authorization: 'Bearer nonsense' })).toEqual([200, { received: true }]);
  expect(stored).toEqual([body]);
});

test('another signature, another encoding, a large body and a receiver without a sender are refused', async () => {
  expect(await post('{}', { 'x-signature': 'x' })).toEqual([401, 'signature_invalid']);
  const packed = gzipSync('{}');
  expect(await post(packed, { 'content-encoding': 'gzip' })).toEqual([415, 'content_encoding_unsupported']);
  expect(await post('x'.repeat(101))).toEqual([413, 'payload_too_large']);
  connected = false;
  expect(await post('{}')).toEqual([404, 'module_unavailable']);
  connected = true;
  expect(stored).toEqual([]);
});

test('a header that was sent twice has two values', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const header = `x-signature: ${signatureOf('{}')}\r\n`;
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('data', (data) => resolve(data.toString('latin1')));
  socket.write(`POST /callbacks HTTP/1.1\r\nhost: x\r\n${header}${header}content-length: 2\r\n\r\n{}`);
  expect(await promise).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('only wrong signatures count, and a right one never gets 429', async () => {
  const [from, wrong] = [200, { 'x-signature': 'x' }];
  for (let time = 0; time < 5; time += 1) expect((await post('{}', {}, from))[0]).toBe(200);
  for (let time = 0; time < 3; time += 1) expect((await post('x'.repeat(101), {}, from))[0]).toBe(413);
  for (let time = 0; time < 3; time += 1) expect((await post('{}', wrong, from))[0]).toBe(401);
  expect(await post('{}', wrong, from)).toEqual([429, 'rate_limited']);
  expect((await post('{}', {}, from))[0]).toBe(200);
});
