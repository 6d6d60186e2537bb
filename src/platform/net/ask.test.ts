import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { FLOODS, startFlood } from '../../../test/support/flood-server.ts';
import { ask } from './ask.ts';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const LIMITS = { timeoutMs: 10_000, bytesMax: 64 * 1024 };

test('an answer has its status, headers and text, errors too', async () => {
  const url = await serve((request, response) => {
    response
      .writeHead(429, { 'retry-after': '7' })
      .end(`${request.method} ${request.headers['x-key']} ${request.headers['user-agent']} é`);
  });
  const reply = await ask(url, { ...LIMITS, method: 'POST', headers: { 'x-key': 'k' }, body: '{}' });
  expect([reply.status, reply.headers['retry-after'], reply.text]).toEqual([
    429,
    '7',
    'POST k seller-partner-service/1 é',
  ]);
});

test('a few interim answers come before the final one', async () => {
  const url = await serve((_request, response) => {
    for (let count = 0; count < 5; count += 1) response.writeProcessing();
    response.end('done');
  });
  expect(await ask(url, LIMITS)).toMatchObject({ status: 200, text: 'done' });
});

test('a redirect, a long body and a late answer are errors', async () => {
  const elsewhere = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
  await expect(ask(elsewhere, LIMITS)).rejects.toThrow('redirect');
  const long = await serve((_request, response) => response.end('x'.repeat(64 * 1024 + 1)));
  await expect(ask(long, LIMITS)).rejects.toThrow('larger than');
  const late = await serve(() => undefined);
  await expect(ask(late, { ...LIMITS, timeoutMs: 100 })).rejects.toThrow();
});

test.each(FLOODS)('%s without end: the call ends early', async (_what, beginning, repeated) => {
  const flood = await startFlood(beginning, repeated);
  const began = performance.now();
  await ask(`http://127.0.0.1:${flood.port}/`, LIMITS).catch(() => undefined);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(flood.taken()).toBeLessThan(20_000_000);
});
