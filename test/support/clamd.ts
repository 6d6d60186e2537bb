/** A clamd of the machine (Debian's package clamav-daemon), with a signature of one line instead of its database. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/platform/embedded-postgres/server-process.ts';
import { atEnd } from './at-end.ts';
import { eventually } from './feeds.ts';

/** The program: `CLAMD`, else the one of the path. */
const PROGRAM = process.env['CLAMD'] ?? 'clamd';
export const hasClamd = spawnSync(PROGRAM, ['--version']).error === undefined;

/** What the scanner of the tests finds. */
export const MALWARE = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`;

export interface Clamd {
  /** Addresses for `SCANNER_URL`. */
  readonly tcp: string;
  readonly socket: string;
  stop(): Promise<void>;
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => socket.write('zPING\0'));
    socket.setEncoding('utf8').once('data', (said: string) => {
      resolve(said.startsWith('PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Starts the scanner on loopback; it ends with the test file. It scans 500 kB of a file, and takes up to a megabyte. */
export async function startClamd(): Promise<Clamd> {
  const folder = mkdtempSync(join(tmpdir(), 'spp-clamd-'));
  chmodSync(folder, 0o755);
  const signature = `Test.Eicar:0:*:${Buffer.from(MALWARE, 'latin1').toString('hex')}\n`;
  writeFileSync(join(folder, 'test.ndb'), signature);
  const port = await freePort(undefined);
  const socket = join(folder, 'clamd.sock');
  const settings = {
    ...{ Foreground: 'yes', DatabaseDirectory: folder, TemporaryDirectory: folder },
    ...{ TCPAddr: '127.0.0.1', TCPSocket: port, LocalSocket: socket },
    ...{ AlertExceedsMax: 'yes', MaxFileSize: '500K', StreamMaxLength: '1M' },
  };
  const file = join(folder, 'clamd.conf');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  const child = spawn(PROGRAM, ['--config-file', file], { stdio: 'ignore' });
  atEnd(async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(
    () => answers(socket),
    (isReady) => isReady,
    60_000,
  );
  return { tcp: `clamd://127.0.0.1:${port}`, socket: `unix://${socket}`, stop: () => end(child) };
}
