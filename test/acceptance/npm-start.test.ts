/** `npm start` under a process manager: the manager signals npm, and everything that npm has started must end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readState } from '../../src/platform/embedded-postgres/data-directory.ts';
import { isAlive, readPostmaster } from '../../src/platform/embedded-postgres/running-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The service itself stops within ten seconds. */
const STOPS = { timeout: 15_000, interval: 50 };
const STARTS_MS = 60_000;
const STARTED = /Seller Partner Service: (\S+)/;

interface Started {
  readonly npm: ChildProcess;
  readonly dataDir: string;
}
let started: Started | undefined;

/** The embedded server; its folder is elsewhere when root runs the test. */
function postgresOf({ dataDir }: Started): { home: string; pid: number | undefined } {
  const home = readState(dataDir)?.home ?? dataDir;
  return { home, pid: readPostmaster(join(home, 'data'))?.pid };
}

// Cleans up after a failed test. npm leads a process group of its own, to which PostgreSQL does not belong.
afterEach(() => {
  if (started === undefined) return;
  const { npm, dataDir } = started;
  const { home, pid } = postgresOf(started);
  for (const left of [npm.pid === undefined ? undefined : -npm.pid, pid])
    try {
      if (left !== undefined) process.kill(left, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  for (const path of [home, dataDir]) rmSync(path, { recursive: true, force: true });
  started = undefined;
});

/** Starts the service on its own PostgreSQL, and waits until it serves; returns its address. */
async function start(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spp-npm-'));
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...{ PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir },
      ...{ PORT: '0', INTERNAL_PORT: '0', DEMO_PORT: '0', DEMO_PAST_DAYS: '0', LOG_LEVEL: 'warn' },
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started = { npm, dataDir };
  let said = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await expect.poll(() => said, { timeout: STARTS_MS, interval: 50 }).toMatch(STARTED);
  return STARTED.exec(said)?.[1] ?? '';
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm ends the service and its PostgreSQL',
  { timeout: 2 * STARTS_MS },
  async (signal) => {
    const url = await start();
    const { npm } = started as Started;
    const postgres = postgresOf(started as Started).pid ?? 0;
    const answers = () =>
      fetch(`${url}/health/live`).then(
        ({ status }) => status,
        () => 'gone',
      );
    expect([await answers(), postgres > 0 && isAlive(postgres)]).toEqual([200, true]);
    const ended = once(npm, 'exit');
    npm.kill(signal);
    await ended;
    await expect.poll(answers, STOPS).toBe('gone');
    await expect.poll(() => isAlive(postgres), STOPS).toBe(false);
  },
);
