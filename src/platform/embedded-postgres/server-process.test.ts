import { expect, test } from 'vitest';
import { serverSettings, sharedBuffersMib } from './server-process.ts';

const GIB = 1024 ** 3;

test('shared buffers stay between 128 and 256 MiB', () => {
  expect([0.5 * GIB, GIB, 1.5 * GIB, 2 * GIB, 64 * GIB].map(sharedBuffersMib)).toEqual([
    128, 128, 192, 256, 256,
  ]);
});

test('commits are on disk, and only this machine can connect', () => {
  expect(serverSettings(5433, 'full')).toMatchObject({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: '5433',
  });
});
