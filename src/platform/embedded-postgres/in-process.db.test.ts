import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOn } from '../../../test/support/test-server.ts';
import { startEmbedded } from './index.ts';
import { isAlive, readPostmaster } from './running-server.ts';

let dataDir = '';
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'spp-embedded-'));
  chmodSync(dataDir, 0o755);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const quiet = { log: () => undefined, durability: 'none' } as const;

test('a cancelled start leaves no server and no lock', async () => {
  const giveUp = new AbortController();
  const log = (line: string): void => {
    if (line.includes('new database')) giveUp.abort(new Error('no longer wanted'));
  };
  const started = startEmbedded({ ...quiet, dataDir, log, signal: giveUp.signal });
  await expect(started).rejects.toThrow('no longer wanted');
  const server = await startEmbedded({ ...quiet, dataDir });
  expect(server.adopted).toBe(false);
  await Promise.all([server.stop(), server.stop()]);
  expect(readPostmaster(join(dataDir, 'postgres', 'data'))).toBeUndefined();
});

test('in production the start warns about the embedded server', async () => {
  const lines: string[] = [];
  const server = await startEmbedded({
    ...quiet,
    dataDir,
    log: (line) => lines.push(line),
    production: true,
  });
  await server.stop();
  expect(lines.filter((line) => line.startsWith('WARNING')).join(' ')).toContain('DATABASE_URL');
  expect(lines.join('\n')).toContain(server.dataPath);
  expect(lines.join('\n')).toContain(server.binariesPath);
});

test.each(['SIGKILL', 'SIGQUIT', 'SIGINT'])(
  'a server ended by %s is restarted at its address with all commits',
  async (signal) => {
    // With `none` the last commits may be lost.
    const server = await startEmbedded({ ...quiet, dataDir, durability: 'full' });
    try {
      const { pid: killed, superuserUrl } = server;
      await runOn(superuserUrl, (client) => client.query('create table note ()'));
      process.kill(killed, signal);
      await expect.poll(() => server.pid, { timeout: 30_000 }).not.toBe(killed);
      // Fails if it is not there.
      await runOn(superuserUrl, (client) => client.query('drop table note'));
    } finally {
      await server.stop();
    }
    expect(isAlive(server.pid)).toBe(false);
    const next = await startEmbedded({ ...quiet, dataDir });
    expect(next.adopted).toBe(false);
    await next.stop();
  },
);
