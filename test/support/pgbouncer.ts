/** A PgBouncer of the machine in front of a test database, with its own defaults for all that the test does not name. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../src/platform/embedded-postgres/server-process.ts';
import { serverUser } from '../../src/platform/embedded-postgres/system-user.ts';
import { eventually } from './feeds.ts';

/** The program: `PGBOUNCER`, else the one of the path. */
const PROGRAM = process.env['PGBOUNCER'] ?? 'pgbouncer';

/** The version that is installed, for example `[1, 24]`; undefined without one. */
export function pgbouncerVersion(): readonly [number, number] | undefined {
  try {
    const said = execFileSync(PROGRAM, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return undefined;
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * Starts PgBouncer in front of the server of a URL; it ends with the calling test.
 *
 * @param settings lines of the section `[pgbouncer]`, beside address, login and log
 * @returns the URL through PgBouncer
 */
export async function startPgbouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<string> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'spp-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort(undefined);
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_file: users,
    ...settings,
  };
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]\n* = host=${target.hostname} port=${target.port}\n[pgbouncer]\n${Object.entries(own)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  // PgBouncer refuses to run as root, as PostgreSQL does.
  const user = serverUser(folder);
  const child = spawn(PROGRAM, [file], {
    stdio: 'ignore',
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(
    () => answers(port),
    (open) => open,
  );
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
