import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  csv,
  eventually,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type Run,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp({ MAX_FEED_BYTES: String(4 * 1024 * 1024) });
const seller = await app.seller({ plan: 'Big' });
const MiB = 1024 * 1024;

/** Unlinked temporary files of uploads that this process has open. */
function openSpools(): number {
  let count = 0;
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`).includes('/spp-')) count += 1;
    } catch {
      // The process has closed the file since.
    }
  }
  return count;
}
const canSeeSpools = process.platform === 'linux';

const admin = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows as Row[]);

/** Expects no open transaction and no temporary file. */
async function expectNothingHeld(): Promise<void> {
  await eventually(
    () =>
      admin<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
      ),
    (rows) => rows.length === 0,
  );
  if (canSeeSpools)
    await eventually(
      async () => openSpools(),
      (count) => count === 0,
    );
}
const runs = async (): Promise<number> =>
  (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs?limit=200')).body.data.length;

interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a connection and sends the head of a request; the caller sends the body. */
function begin({ headers = {} }: RawRequest): { socket: Socket; answer: Promise<string> } {
  const { port, hostname } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  const head = {
    host: 'test',
    authorization: `Bearer ${seller.token}`,
    'content-type': 'text/csv',
    'idempotency-key': randomBytes(8).toString('hex'),
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST /api/v1/products/feed-runs HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
      if (/\r\n\r\n\{.*\}$/s.test(text)) resolve(text);
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}
const chunk = (data: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')]);

test('a client that disconnects during its upload leaves no run, file or connection', async () => {
  const before = await runs();
  for (const headers of [{ 'content-length': String(3 * MiB) }, { 'transfer-encoding': 'chunked' }]) {
    const { socket } = begin({ headers });
    const data = Buffer.from(goodsFile(2_000, 'GONE'));
    socket.write('content-length' in headers ? data : chunk(data));
    if (canSeeSpools)
      await eventually(
        async () => openSpools(),
        (count) => count === 1,
      );
    socket.destroy();
    await expectNothingHeld();
  }
  expect(await runs()).toBe(before);
});

test('a client that disconnects during a multipart or compressed upload leaves nothing', async () => {
  const before = await runs();
  const part = '--zz\r\ncontent-disposition: form-data; name="f"; filename="a.csv"\r\n\r\nseller_sku,title\n';
  const parts = begin({
    headers: { 'content-type': 'multipart/form-data; boundary=zz', 'transfer-encoding': 'chunked' },
  });
  parts.socket.write(chunk(part + 'x'.repeat(300_000)));
  const zipped = begin({ headers: { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' } });
  zipped.socket.write(chunk(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])));
  if (canSeeSpools)
    await eventually(
      async () => openSpools(),
      (count) => count === 2,
    );
  parts.socket.destroy();
  zipped.socket.destroy();
  await expectNothingHeld();
  expect(await runs()).toBe(before);
});

test('a slow upload holds no database connection, and succeeds', async () => {
  const { socket, answer } = begin({ headers: { 'transfer-encoding': 'chunked' } });
  const text = csv([goods('SLOW-1'), goods('SLOW-2')]);
  for (let at = 0; at < text.length; at += 20) {
    socket.write(chunk(text.slice(at, at + 20)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (at !== 40) continue;
    // The worker's statements are short; an upload that held a connection would be in a transaction.
    const busy = await admin(
      "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    expect(busy).toEqual([]);
  }
  socket.write('0\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
  socket.destroy();
  await expectNothingHeld();
});

test('a client gets the 413 while it still sends', async () => {
  const { socket, answer } = begin({ headers: { 'transfer-encoding': 'chunked' } });
  let stop = false;
  const sending = (async () => {
    for (let sent = 0; sent < 64 && !stop && socket.writable; sent += 1) {
      await new Promise((resolve) => socket.write(chunk(Buffer.alloc(MiB, 'x')), resolve));
    }
  })();
  const text = await answer;
  stop = true;
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(text).toContain('"error":"feed_too_large"');
  await sending;
  socket.destroy();
  await expectNothingHeld();
});

test('a body shorter than its Content-Length makes no run', async () => {
  const before = await runs();
  const { socket, answer } = begin({ headers: { 'content-length': '5000' } });
  socket.end(csv([goods('SHORT')]));
  expect(await answer).not.toMatch(/ 201 /);
  await expectNothingHeld();
  expect(await runs()).toBe(before);
});

test('multipart with 10,000 parts, endless headers or a name of 1 MB gets a typed answer', async () => {
  const field = (name: string, value = 'v') =>
    `--zz\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = (filename: string, head = '') =>
    `--zz\r\ncontent-disposition: form-data; name="f"; filename="${filename}"\r\n${head}\r\n${csv([goods('PARTS')])}\r\n--zz--\r\n`;
  const bodies = [
    Array.from({ length: 10_000 }, (_, index) => field(`f${index}`)).join('') + file('a.csv'),
    field('f', 'v'.repeat(2 * MiB)) + file('a.csv'),
    file('a.csv', Array.from({ length: 10_000 }, (_, index) => `x-${index}: y\r\n`).join('')),
    file('a.csv', `x-long: ${'y'.repeat(MiB)}\r\n`),
    file(`${'n'.repeat(MiB)}.csv`),
    '--zz\r\n'.repeat(100_000),
    `${'-'.repeat(2 * MiB)}`,
  ];
  for (const body of bodies) {
    const answer = await feed<FeedFailure>(seller, body, { type: 'multipart/form-data; boundary=zz' });
    expect([201, 413, 415, 422]).toContain(answer.status);
    if (answer.status !== 201) expect(answer.body.error).toMatch(/^feed_/);
  }
  await expectNothingHeld();
});

test('a file name is stored without path and control characters, with at most 255 characters', async () => {
  const names = [
    '../../etc/passwd.csv',
    'C:\\a\\b.csv',
    'a\u0007b.csv',
    'a\u202Evsc.b\u2028.csv',
    `${'ü'.repeat(400)}.csv`,
  ];
  for (const name of names) {
    const data = new FormData();
    data.set('file', new File([csv([goods('NAME')])], name, { type: 'text/csv' }));
    const { filename } = (await applied(seller, data, { type: null })).source as { filename: string };
    expect(filename).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}\p{Zl}]/u);
    expect(filename.length).toBeLessThanOrEqual(255);
  }
});

test('forty concurrent uploads with all kinds of ends leave nothing behind', async () => {
  const before = process.memoryUsage();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const bodies = [
        goodsFile(200, `MIX${index}`),
        'x'.repeat(5 * MiB),
        '%PDF-1.4',
        csv([goods('A', { price: 'x' })]),
        'seller_sku\n',
      ];
      return feed<FeedFailure>(seller, bodies[index % 5] ?? '');
    }),
  );
  const fates = answers.map(({ status }) => status);
  for (let index = 0; index < 40; index += 1) expect(fates[index]).toBe([201, 413, 415, 422, 422][index % 5]);
  await expectNothingHeld();
  const after = process.memoryUsage();
  expect(after.external - before.external).toBeLessThan(200 * MiB);
});
