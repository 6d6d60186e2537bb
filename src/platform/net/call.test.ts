import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { FLOODS, startFlood } from '../../../test/support/flood-server.ts';
import { type Caller, type CallerOptions, createCaller } from './call.ts';
import { parseRanges } from './classify-address.ts';
import { createResolveHost } from './resolve-host.ts';

const LOOPBACK = parseRanges(['127.0.0.0/8', '::1/128']);
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function listen(server: Server & { closeAllConnections(): void }, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
const tlsFile = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const serve = (listener: RequestListener, host = '127.0.0.1') => listen(createServer(listener), host);

/** A caller; by default it may call this machine and knows no names. */
function caller(options: Partial<CallerOptions> = {}): Caller {
  const made = createCaller({
    resolve: async () => [],
    opened: LOOPBACK,
    timeoutMs: 5_000,
    headBytes: 2_048,
    ...options,
  });
  closing.push(() => made.close());
  return made;
}
const post = (made: Caller, url: string, body = '{}') =>
  made.post({ url: new URL(url), headers: { 'content-type': 'application/json' }, body });

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

test('a result has the status, the headers and the start of the body', async () => {
  const port = await serve(async (request, response) => {
    response.writeHead(418, { 'Retry-After': '7' });
    response.end(`${request.method} ${request.url} ${await bodyOf(request)}`);
  });
  const answer = await post(caller(), `http://127.0.0.1:${port}/hook?a=1`, '{"n":1}');
  expect(answer).toMatchObject({ status: 418, headers: { 'retry-after': '7' } });
  expect(answer.error === undefined && answer.head.toString()).toBe('POST /hook?a=1 {"n":1}');
});

describe('addresses that are not public', () => {
  let visits = 0;
  const here = serve((_request, response) => {
    visits += 1;
    response.end();
  });

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.1',
    '127.0.1',
    '0',
    '0.0.0.0',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'any.localhost',
    '①②⑦.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
  ])('http://%s is refused without a connection', async (host) => {
    const made = caller({ opened: [], resolve: createResolveHost() });
    expect(await post(made, `http://${host}:${await here}/`)).toEqual({ error: 'address_refused' });
    expect(visits).toBe(0);
  });

  test.each([
    ['one', ['127.0.0.1']],
    ['one among public ones', ['93.184.215.14', '10.0.0.1']],
    ['a private one of the other family', ['93.184.215.14', 'fd00::1']],
    ['a mapped one', ['::ffff:192.168.0.1']],
  ])('a name that resolves to %s is refused', async (_, addresses) => {
    const made = caller({ opened: [], resolve: async () => addresses });
    expect(await post(made, `http://innocent.example:${await here}/`)).toEqual({ error: 'address_refused' });
    expect(visits).toBe(0);
  });

  test('metadata addresses stay refused when all ranges are allowed', async () => {
    const made = caller({
      opened: parseRanges(['0.0.0.0/0', '::/0']),
      resolve: async () => ['169.254.169.254'],
    });
    expect(await post(made, 'http://innocent.example/latest/meta-data')).toEqual({
      error: 'address_refused',
    });
  });
});

test('the connection goes to the checked address when the name resolves to another one afterwards', async () => {
  const hosts: unknown[] = [];
  const visitor: RequestListener = (request, response) => {
    hosts.push(request.headers.host);
    response.end();
  };
  const port = await serve(visitor);
  const answers = [['127.0.0.1'], ['169.254.169.254']];
  let asked = 0;
  const made = caller({
    resolve: async () => {
      asked += 1;
      return answers.shift() ?? [];
    },
  });
  expect(await post(made, `http://rebound.example:${port}/`)).toMatchObject({ status: 200 });
  expect([hosts, asked]).toEqual([[`rebound.example:${port}`], 1]);
});

test('TLS is made with the name, not with the address', async () => {
  const names: unknown[] = [];
  const server = createTlsServer({ key: tlsFile('key'), cert: tlsFile('cert') }, (request, response) => {
    names.push((request.socket as TLSSocket).servername, request.headers.host);
    response.end();
  });
  const port = await listen(server, '127.0.0.1');
  const resolve = async () => ['127.0.0.1'];
  const trusting = caller({ resolve, ca: tlsFile('cert') });
  expect(await post(trusting, `https://hooks.example.test:${port}/`)).toMatchObject({ status: 200 });
  expect(names).toEqual(['hooks.example.test', `hooks.example.test:${port}`]);
  expect(await post(trusting, `https://other.example.test:${port}/`)).toEqual({ error: 'tls_failed' });
  expect(await post(caller({ resolve }), `https://hooks.example.test:${port}/`)).toEqual({
    error: 'tls_failed',
  });
});

test('the next address of a name is tried when the first one does not answer', async () => {
  const port = await serve((_request, response) => response.end(), '127.0.0.2');
  const made = caller({ resolve: async () => ['127.0.0.1', '127.0.0.2'] });
  expect(await post(made, `http://two.example:${port}/`)).toMatchObject({ status: 200 });
});

test('redirects are not followed', async () => {
  let visits = 0;
  const target = await serve((_request, response) => {
    visits += 1;
    response.end();
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const port = await serve((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${target}/` }).end();
    });
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toMatchObject({ status });
  }
  expect(visits).toBe(0);
});

test('proxies of the environment are not used', async () => {
  let proxied = 0;
  const proxy = await serve((_request, response) => {
    proxied += 1;
    response.end();
  });
  const port = await serve((_request, response) => response.end());
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy}`;
  try {
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  } finally {
    for (const name of names) delete process.env[name];
  }
  expect(proxied).toBe(0);
});

describe('bad answers', () => {
  test('no answer is a timeout', async () => {
    const port = await serve(() => undefined);
    expect(await post(caller({ timeoutMs: 150 }), `http://127.0.0.1:${port}/`)).toEqual({ error: 'timeout' });
  });

  test('a name lookup without an answer is a timeout', async () => {
    const made = caller({ timeoutMs: 150, resolve: () => new Promise(() => undefined) });
    expect(await post(made, 'http://slow.example/')).toEqual({ error: 'timeout' });
  });

  test('a status without a body counts as an answer', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200).write('beginning');
    });
    const answer = await post(caller({ timeoutMs: 1_000 }), `http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.error === undefined && answer.head.toString()).toBe('beginning');
  });

  test('a body of a gigabyte is aborted, and its start kept', async () => {
    let closed = false;
    const port = await serve((_request, response) => {
      response.once('close', () => {
        closed = true;
      });
      const more = (): void => {
        while (!closed && response.write(Buffer.alloc(16_384, 'x')));
        if (!closed) response.once('drain', more);
      };
      more();
    });
    const answer = await post(caller(), `http://127.0.0.1:${port}/`);
    expect(answer.error === undefined && [answer.status, answer.head.length]).toEqual([200, 2_048]);
    await expect.poll(() => closed).toBe(true);
  });

  test('a closed connection is connection_lost', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toEqual({ error: 'connection_lost' });
  });

  test('bytes that are not HTTP are response_invalid', async () => {
    const port = await serve((request) => request.socket.write('SSH-2.0-none\r\n\r\n'));
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toEqual({ error: 'response_invalid' });
  });

  test.each(['100 Continue', '101 Switching Protocols'])('%s is response_invalid', async (interim) => {
    const port = await serve((request) => {
      const upgrade = 'Connection: upgrade\r\nUpgrade: h2c\r\n';
      request.socket.write(`HTTP/1.1 ${interim}\r\n${interim.startsWith('101') ? upgrade : ''}\r\n`);
    });
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toEqual({ error: 'response_invalid' });
  });

  test('endless headers are response_invalid', async () => {
    const port = await serve((request) => {
      request.socket.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(200_000)}\r\n\r\n`);
    });
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toEqual({ error: 'response_invalid' });
  });

  test('at all: nothing listens, the name does not exist', async () => {
    const server = createServer();
    const port = await listen(server, '127.0.0.1');
    await new Promise((resolve) => server.close(resolve));
    expect(await post(caller(), `http://127.0.0.1:${port}/`)).toEqual({ error: 'connect_failed' });
    expect(await post(caller(), 'http://no-such-host.example/')).toEqual({ error: 'dns_failed' });
  });
});

describe('an answer without end', () => {
  /** What a socket and its kernel buffers hold; without a limit a second brings far more. */
  const TAKEN_MAX = 20_000_000;

  test.each(FLOODS)('of %s is cut off', async (what, beginning, repeated) => {
    const flood = await startFlood(beginning, repeated);
    const began = performance.now();
    const answer = await post(caller({ timeoutMs: 10_000 }), `http://127.0.0.1:${flood.port}/`);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(flood.taken()).toBeLessThan(TAKEN_MAX);
    if (what.startsWith('interim')) expect(answer).toEqual({ error: 'too_many_interim_answers' });
    if (beginning.includes('\r\n\r\n')) expect(answer).toMatchObject({ status: 200 });
  });

  test.each(FLOODS)('of %s is cut off over TLS', async (_what, beginning, repeated) => {
    const flood = await startFlood(beginning, repeated, { key: tlsFile('key'), cert: tlsFile('cert') });
    const made = caller({ timeoutMs: 10_000, ca: tlsFile('cert'), resolve: async () => ['127.0.0.1'] });
    const began = performance.now();
    const answer = await post(made, `https://hooks.example.test:${flood.port}/`);
    expect(answer).not.toEqual({ error: 'tls_failed' });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(flood.taken()).toBeLessThan(TAKEN_MAX);
  });

  test('of TLS handshakes is cut off', async () => {
    const limits: { CLIENT_RENEG_LIMIT: number } = tls;
    const { CLIENT_RENEG_LIMIT } = limits;
    limits.CLIENT_RENEG_LIMIT = Number.POSITIVE_INFINITY;
    onTestFinished(() => void Object.assign(limits, { CLIENT_RENEG_LIMIT }));
    let handshakes = 0;
    const server = tls.createServer(
      { key: tlsFile('key'), cert: tlsFile('cert'), maxVersion: 'TLSv1.2' },
      (socket) => {
        const again = (): void => {
          handshakes += 1;
          if (!socket.destroyed) socket.renegotiate({}, () => setImmediate(again));
        };
        socket.on('error', () => undefined).once('data', again);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const made = caller({ timeoutMs: 30_000, ca: tlsFile('cert'), resolve: async () => ['127.0.0.1'] });
    expect(await post(made, `https://hooks.example.test:${port}/`)).toEqual({ error: 'response_invalid' });
    expect(handshakes).toBeGreaterThan(5);
  });

  test.each([
    ['short headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
    ['empty headers', 'HTTP/1.1 200 OK\r\n', 'x:\r\n'],
    ['short trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x: y\r\n'],
  ])('of %s costs as little work as one of a long body', async (_what, beginning, repeated) => {
    const made = caller();
    const costOf = async (...flood: [string, string]): Promise<number> => {
      const { port } = await startFlood(...flood);
      const call = () => post(made, `http://127.0.0.1:${port}/`);
      await call();
      const before = process.cpuUsage();
      await Promise.all(Array.from({ length: 20 }, call));
      return process.cpuUsage(before).user;
    };
    const body = await costOf('HTTP/1.1 200 OK\r\n\r\n', 'x');
    expect(await costOf(beginning, repeated)).toBeLessThan(12 * body);
  });

  test('of anything is cut off', async () => {
    const part = fc.constantFrom(
      'HTTP/1.1 103 Early Hints\r\n',
      'HTTP/1.1 200 OK\r\n',
      'transfer-encoding: chunked\r\n',
      'content-length: 100000000\r\n',
      '\r\n',
      'x: y\r\n',
      '5;a=b\r\nabcde\r\n',
      '0\r\n',
      'x',
      ' ',
      '\u0000',
    );
    const text = (minLength: number) =>
      fc.array(part, { minLength, maxLength: 6 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text(0), text(1), async (beginning, repeated) => {
        const flood = await startFlood(beginning, repeated);
        const began = performance.now();
        await post(caller({ timeoutMs: 10_000 }), `http://127.0.0.1:${flood.port}/`);
        expect(performance.now() - began).toBeLessThan(5_000);
        expect(flood.taken()).toBeLessThan(TAKEN_MAX);
      }),
      { numRuns: 40 },
    );
  });

  test('does not begin with five interim answers, nor with the next request on a connection', async () => {
    let count = 0;
    const port = await serve((request, response) => {
      request.resume();
      count += 1;
      for (let index = 0; index < 5; index += 1) response.writeProcessing();
      response.end('x'.repeat(10_000));
    });
    const made = caller();
    for (let round = 0; round < 4; round += 1)
      expect(await post(made, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(count).toBe(4);
  });
});
