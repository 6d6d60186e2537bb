import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { scanBytes } from './scan.ts';

/** Runs `use` with a scanner that answers so. */
async function withScanner<T>(
  answer: (socket: Socket, received: Buffer) => unknown,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      received = Buffer.concat([received, Buffer.from(part)]);
      // A chunk of length 0 ends the file.
      if (received.subarray(-4).equals(Buffer.alloc(4))) answer(socket, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`clamd://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test.each([
  ['stream: OK\0', 'clean'],
  ['stream: Win.Test.EICAR_HDB-1 FOUND\0', 'infected'],
  ['INSTREAM size limit exceeded. ERROR\0', 'unavailable'],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0', 'unavailable'],
  ['', 'unavailable'],
])('%j is %s', async (text, expected) => {
  const result = await withScanner(
    (socket) => socket.end(text),
    (url) => scanBytes(url, Buffer.from('bytes')),
  );
  expect(result).toBe(expected);
});

test('the file arrives in chunks with their lengths', async () => {
  const bytes = Buffer.alloc(70_000, 7);
  const result = await withScanner(
    (socket, received) => {
      const rest = received.subarray('zINSTREAM\0'.length);
      const first = rest.readUInt32BE(0);
      const second = rest.readUInt32BE(4 + first);
      socket.end(first + second === bytes.length ? 'stream: OK\0' : 'stream: wrong ERROR\0');
    },
    (url) => scanBytes(url, bytes),
  );
  expect(result).toBe('clean');
});

test('a scanner that does not answer in time, and one that is not there, are unavailable', async () => {
  const silent = await withScanner(
    () => undefined,
    (url) => scanBytes(url, Buffer.from('x'), 50),
  );
  const slow = await withScanner(
    (socket) => {
      const drip = setInterval(() => socket.write('.'), 5);
      socket.on('close', () => clearInterval(drip));
    },
    (url) => scanBytes(url, Buffer.from('x'), 50),
  );
  const absent = await scanBytes('clamd://127.0.0.1:1', Buffer.from('x'));
  expect([silent, slow, absent]).toEqual(['unavailable', 'unavailable', 'unavailable']);
});
