/** Log lines of answers with status 500 and above. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreErrors, defineErrors, fail } from '../../kernel/errors.ts';
import { createLog } from '../log/log.ts';
import { passThrough } from '../trace/tracer.ts';
import { createServer } from './server.ts';
import { createTraffic } from './traffic.ts';

const { not_made_yet } = defineErrors({ not_made_yet: { status: 503, detail: 'Not made yet.' } });
const THROWN: Readonly<Record<string, unknown>> = {
  expected: fail(not_made_yet, { headers: { 'retry-after': '2' } }),
  caused: fail(coreErrors.unavailable, { cause: new Error('no answer') }),
  lost: new Error('Connection terminated unexpectedly'),
  shared: new Error('Connection terminated by the server'),
  late: fail(coreErrors.timeout),
  unknown: new Error('a mistake'),
};

const lines: { level: string; message: string; status?: number; err?: unknown }[] = [];
let now = Date.now();
const server = createServer({
  log: createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  traffic: createTraffic({ maxInFlight: 100, maxWaiting: 100 }),
  https: true,
  tracer: passThrough,
  trustedProxies: [],
  corsOrigins: [],
  observe: () => undefined,
  systemNow: () => now,
  rateHeaders: () => undefined,
  notFound: () => Promise.reject(fail(coreErrors.route_not_found)),
});
let address = '';
async function* brokenFile() {
  yield 'sku,title\n';
  throw fail(coreErrors.unavailable);
}

beforeAll(async () => {
  server.get<{ Params: { what: string } }>('/:what', async ({ params }) => {
    throw THROWN[params.what];
  });
  server.get('/file', async (_request, reply) =>
    reply
      .type('text/csv')
      .headers({ 'content-disposition': 'attachment; filename="a.csv"', 'x-row-count': '2' })
      .send(Readable.from(brokenFile())),
  );
  address = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

/** The lines of one request, once its access line, the last one, is written. */
async function loggedOf(what: string) {
  lines.length = 0;
  const { status } = await fetch(`${address}/${what}`, { headers: { connection: 'close' } });
  await expect.poll(() => lines.at(-1)?.message).toBe('request');
  return { status, said: lines.map(({ level, message }) => `${level} ${message}`), first: lines[0] };
}

test('a 503 on purpose writes the log line of its request and no other', async () => {
  const { status, said, first } = await loggedOf('expected');
  expect([status, said, first?.status]).toEqual([503, ['info request'], 503]);
});

test.each([
  ['caused', 503],
  ['lost', 503],
  ['late', 504],
  ['unknown', 500],
])('a request that is %s has failed, and the log has the error', async (what, expected) => {
  const { status, said, first } = await loggedOf(what);
  expect([status, said]).toEqual([expected, ['error request failed', 'info request']]);
  expect(first?.err).toMatchObject({ stack: expect.any(String) });
});

test('a temporary failure that many requests share is logged once a second, with the number left out', async () => {
  const said = [];
  for (let count = 0; count < 3; count += 1) said.push(...(await loggedOf('shared')).said);
  expect(said.filter((line) => line !== 'info request')).toEqual(['error request failed']);
  now += 1_000;
  expect((await loggedOf('shared')).first).toMatchObject({ message: 'request failed', omitted: 2 });
});

test.each(['gzip', 'br'])(
  'a file that fails before %s bytes of it are sent is an error without its headers',
  async (coding) => {
    const answer = await fetch(`${address}/file`, {
      headers: { connection: 'close', 'accept-encoding': coding },
    });
    const { headers, status } = answer;
    const names = ['content-encoding', 'content-disposition', 'x-row-count'];
    expect([status, ...names.map((name) => headers.get(name))]).toEqual([503, null, null, null]);
    expect(await answer.json()).toMatchObject({ code: 'unavailable' });
  },
);
