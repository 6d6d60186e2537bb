import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { passThrough } from '../trace/tracer.ts';
import { createServer } from './server.ts';
import { createTraffic } from './traffic.ts';

const server = createServer({
  log: pino({ level: 'silent' }),
  traffic: createTraffic({ maxInFlight: 100, maxWaiting: 100 }),
  https: true,
  tracer: passThrough,
  trustedProxies: [],
  corsOrigins: [],
  observe: () => undefined,
  systemNow: () => Date.now(),
  rateHeaders: () => ({ 'ratelimit-policy': '"public";q=600;w=60', ratelimit: '"public";r=600;t=60' }),
  notFound: async () => {
    throw fail(coreErrors.route_not_found);
  },
});
let port = 0;

beforeAll(async () => {
  server.get('/things/:id', async () => ({ fine: true }));
  server.post('/mine', async (request) => {
    request.caller = { seller_id: 'slr_1', member_id: 'mbr_1', roles: [], permissions: [] };
    throw fail(coreErrors.payload_too_large);
  });
  server.post('/things', async (request) => {
    try {
      for await (const chunk of request.raw) if (chunk.length > 100) throw fail(coreErrors.payload_too_large);
    } finally {
      // Time passes before the refusal is written; by then the reading of the body has ended.
      await after(20);
    }
    return {};
  });
  port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterAll(() => server.close());

/** Sends bytes as they are and reads what comes, until the first answer seems complete. */
async function send(bytes: string): Promise<{ text: string; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  const text = await new Promise<string>((resolve) => {
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (received.endsWith('}')) resolve(received);
    });
    socket.on('close', () => resolve(received));
  });
  return { text, socket };
}

// Each waits for seconds, so they run concurrently.
describe.concurrent('a body that is refused before it has arrived', () => {
  it.each([
    ['is not read at all', '/nowhere', 404],
    ['is too large', '/things', 413],
  ])(
    'has no other effect when it %s and its sender leaves after the answer',
    { timeout: 15_000 },
    async (...given) => {
      const [, path, status] = given;
      const faults: unknown[] = [];
      const note = (error: unknown): void => {
        faults.push(error);
      };
      process.on('uncaughtException', note);
      const body = `${'1000\r\n'}${'a'.repeat(4096)}\r\n`;
      const { text, socket } = await send(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
      );
      expect(text).toContain(`HTTP/1.1 ${status} `);
      socket.destroy();
      // Longer than the server waits for the rest of the body.
      await after(5_500);
      process.off('uncaughtException', note);
      expect(faults).toEqual([]);
    },
  );
});

test('a client that closes its connection after the request can send all of it and read the refusal', async () => {
  const socket = connect(port, '127.0.0.1');
  const faults: unknown[] = [];
  socket.on('error', (error) => faults.push(error));
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // More than the buffers between client and server hold.
  const body = Buffer.alloc(32 * 1024 * 1024, 'a');
  const head = `POST /mine HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head);
  await new Promise<void>((resolve) => socket.write(body, () => resolve()));
  await once(socket, 'close');
  expect(faults).toEqual([]);
  expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1.1 413 .*payload_too_large/s);
});

describe('bytes that are no request', () => {
  const HOST = 'Host: x\r\n';
  it.each([
    ['no request line', 'garbage\r\n\r\n', 400, 'bad_request'],
    ['an unknown method', `FOO / HTTP/1.1\r\n${HOST}\r\n`, 400, 'bad_request'],
    ['no Host', 'GET /things/1 HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'bad_request',
    ],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a segment that is too long',
      `GET /things/${'a'.repeat(300)} HTTP/1.1\r\n${HOST}\r\n`,
      404,
      'route_not_found',
    ],
    ['an escape of nothing', `GET /things/%zz HTTP/1.1\r\n${HOST}\r\n`, 404, 'route_not_found'],
    ['a method that must have a type', `QUERY /things/1 HTTP/1.1\r\n${HOST}\r\n`, 404, 'route_not_found'],
  ])('%s is refused in the form of other errors', async (_what, bytes, status, code) => {
    const { text, socket } = await send(bytes);
    socket.destroy();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const id = /^x-request-id: (req_[0-9a-f]{24})\r?$/m.exec(head)?.[1];
    expect(JSON.parse(body)).toEqual({ detail: expect.any(String), code, request_id: id });
    for (const name of ['ratelimit', 'ratelimit-policy', 'cache-control', 'x-content-type-options'])
      expect(head).toMatch(new RegExp(`^${name}: `, 'm'));
  });

  it('an unknown Expect header is ignored', async () => {
    const { text, socket } = await send(`GET /things/1 HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n\r\n`);
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  });
});
