import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { explainListenError } from './explain-listen-error.ts';

function listen(port: number): Promise<{ port: number; close: () => void }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve({ port: taken, close: () => server.close() });
    });
  });
}

test('a taken port is named with the variable that moves it', async () => {
  const first = await listen(0);
  const thrown = await listen(first.port).then(
    () => undefined,
    (error: unknown) => error,
  );
  first.close();
  const text = explainListenError(thrown, first.port, 'INTERNAL_PORT');
  expect(text).toContain(`Port ${first.port} is taken`);
  expect(text).toContain('set INTERNAL_PORT');
});

test.each([
  ['EACCES', 80, 'reserved'],
  ['EADDRNOTAVAIL', 8080, 'HOST'],
])('%s is explained', (code, port, word) => {
  expect(explainListenError(Object.assign(new Error('listen'), { code }), port, 'PORT')).toContain(word);
});

test('other errors are passed on', () => {
  expect(explainListenError(new Error('boom'), 8080, 'PORT')).toBeUndefined();
  expect(explainListenError(Object.assign(new Error('x'), { code: 'EPIPE' }), 8080, 'PORT')).toBeUndefined();
  expect(explainListenError('EADDRINUSE', 8080, 'PORT')).toBeUndefined();
});
