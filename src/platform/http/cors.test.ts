/** Requests of pages from other origins. */
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { operationsOf, readDescription } from '../../../test/support/description.ts';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { passThrough } from '../trace/tracer.ts';
import { createServer } from './server.ts';
import { createTraffic } from './traffic.ts';

const ORIGIN = 'https://tools.example';
const server = createServer({
  log: pino({ level: 'silent' }),
  traffic: createTraffic({ maxInFlight: 100, maxWaiting: 100 }),
  https: true,
  tracer: passThrough,
  trustedProxies: [],
  corsOrigins: [ORIGIN],
  observe: () => undefined,
  systemNow: () => Date.now(),
  rateHeaders: () => undefined,
  notFound: () => Promise.reject(fail(coreErrors.route_not_found)),
});
server.get('/thing', async () => ({}));
afterAll(() => server.close());

/** The headers of all described answers. */
function answerHeaders(): string[] {
  const description = readDescription();
  const answers = operationsOf(description).flatMap(({ responses }) => Object.values(responses));
  const all = [...answers, ...Object.values(description.components['responses'] ?? {})];
  return [...new Set(all.flatMap(({ headers = {} }) => Object.keys(headers as object)))];
}

test('a page of a known origin may read the headers of lists and files; other origins get none', async () => {
  const headersFor = async (origin: string) =>
    (await server.inject({ url: '/thing', headers: { origin } })).headers;
  const known = await headersFor(ORIGIN);
  expect(known).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
  const exposed = String(known['access-control-expose-headers']).split(', ');
  expect(answerHeaders().filter((name) => !exposed.includes(name))).toEqual([]);
  const stranger = await headersFor('https://elsewhere.example');
  expect(Object.keys(stranger).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('a preflight request is answered without a token', async () => {
  const headers = { origin: ORIGIN, 'access-control-request-method': 'PATCH' };
  const { statusCode, headers: said } = await server.inject({ method: 'OPTIONS', url: '/thing', headers });
  expect([statusCode, said['access-control-allow-methods']]).toEqual([204, expect.stringContaining('PATCH')]);
});
