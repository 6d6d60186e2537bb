/** The access log: who called, what was answered, and in which trace. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { createLog } from '../log/log.ts';
import { passThrough } from '../trace/tracer.ts';
import { createServer, type ServerOptions } from './server.ts';
import { createTraffic } from './traffic.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const lines: Record<string, unknown>[] = [];
const options: ServerOptions = {
  log: createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  traffic: createTraffic({ maxInFlight: 100, maxWaiting: 100 }),
  https: true,
  tracer: passThrough,
  trustedProxies: ['127.0.0.0/8'],
  corsOrigins: [],
  observe: () => undefined,
  systemNow: () => Date.now(),
  rateHeaders: () => undefined,
  notFound: () => Promise.reject(fail(coreErrors.route_not_found)),
};
const server = createServer(options);
let url = '';
beforeAll(async () => {
  server.get('/mine', { config: { routeId: 'things.mine' } }, async (request) => {
    request.caller = { seller_id: 'slr_1', member_id: 'mbr_1', sid: 'ses_1', roles: [], permissions: [] };
    return 'x'.repeat(1_000);
  });
  server.get('/refused', async () => {
    throw fail(coreErrors.conflict);
  });
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

async function lineOf(path: string, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const id = `req_${lines.length}_${path.slice(1)}`;
  await (await fetch(`${url}${path}`, { headers: { ...headers, 'x-request-id': id } })).text();
  const find = () => lines.find(({ request_id }) => request_id === id);
  await expect.poll(find).toBeDefined();
  return find() ?? {};
}

test('names member, session, address, client, bytes and trace', async () => {
  const line = await lineOf('/mine', {
    'user-agent': `shop/1 ${'x'.repeat(500)}`,
    'x-forwarded-for': '192.0.2.7',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  });
  expect(line).toMatchObject({
    level: 'info',
    message: 'request',
    route: 'things.mine',
    method: 'GET',
    status: 200,
    ms: expect.any(Number),
    seller: 'slr_1',
    member: 'mbr_1',
    session: 'ses_1',
    address: '192.0.2.7',
    user_agent: expect.stringMatching(/^shop\/1 x{193}$/),
    trace_id: TRACE,
  });
  expect(line['bytes']).toBeGreaterThan(1_000);
  expect(line['bytes']).toBeLessThan(3_000);
});

test('names the code of an error; what a request does not have is left out', async () => {
  const line = await lineOf('/refused', { traceparent: 'none' });
  expect(line).toMatchObject({ status: 409, code: 'conflict', address: '127.0.0.1' });
  for (const name of ['seller', 'member', 'session', 'trace_id']) expect(line).not.toHaveProperty(name);
  expect((await lineOf('/mine', {}))['code']).toBeUndefined();
});

test('a browser is told to stay with https only where clients come by https', async () => {
  const plain = createServer({ ...options, https: false });
  const name = 'strict-transport-security';
  expect((await server.inject('/refused')).headers[name]).toContain('max-age=');
  expect((await plain.inject('/refused')).headers[name]).toBeUndefined();
  await plain.close();
});
