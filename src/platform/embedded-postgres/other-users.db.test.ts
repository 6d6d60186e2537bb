import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Report } from '../../../test/support/service-process.ts';
import { spawnService } from '../../../test/support/service-process.ts';
import { runOn } from '../../../test/support/test-server.ts';
import { canReach } from './data-directory.ts';
import { findUser } from './system-user.ts';

const isRoot = process.getuid?.() === 0;
const here = dirname(fileURLToPath(import.meta.url));
const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };
/** A user can only be made by root, and can only run a repository that it can reach. */
const canPlayUser = isRoot && canReach(stranger, here) && hasUseradd();

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'spp-users-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Starts, writes or reads a row, stops; the start's report. */
async function startAndStop(
  dataDir: string,
  user?: { uid: number; gid: number },
  sql = 'select 1',
): Promise<Report> {
  const service = spawnService(dataDir, user);
  const report = await service.up;
  try {
    if (report.error === undefined) await runOn(report.superuserUrl, (client) => client.query(sql));
  } finally {
    service.process.kill('SIGTERM');
    await service.ended;
  }
  return report;
}

/** The message of a start that must fail. */
async function refusal(dataDir: string, user?: { uid: number; gid: number }): Promise<string | undefined> {
  const service = spawnService(dataDir, user);
  const { error } = await service.up;
  if (error === undefined) service.process.kill('SIGTERM');
  await service.ended;
  return error;
}

describe.skipIf(!isRoot)('as root', () => {
  test('when the other user cannot enter DATA_DIR, data and binaries are in a shared directory', async () => {
    const dataDir = join(base, 'data');
    const first = await startAndStop(dataDir, undefined, 'create table kept (id int)');
    const home = dirname(first.dataPath);
    try {
      expect(first.dataPath.startsWith(base)).toBe(false);
      expect(statSync(first.dataPath).uid).not.toBe(0);
      expect(canReach(stranger, home)).toBe(true);
      expect(canReach(stranger, join(first.binariesPath, 'bin'))).toBe(true);
      const second = await startAndStop(dataDir, undefined, 'select from kept');
      expect(second).toMatchObject({ dataPath: first.dataPath, url: first.url });
      rmSync(home, { recursive: true });
      expect(await refusal(dataDir)).toContain(`kept in ${home}, which is gone`);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test('data stay below a DATA_DIR that others can pass through', async () => {
    chmodSync(base, 0o711);
    const { dataPath } = await startAndStop(join(base, 'data'));
    expect(dataPath).toBe(join(base, 'data', 'postgres', 'data'));
  });
});

describe.skipIf(!canPlayUser)('as an ordinary user', () => {
  const name = `spp-test-${process.pid}`;
  const user = (): { name: string; uid: number; gid: number } => {
    const found = findUser(name);
    if (!found) throw new Error(`no user ${name}`);
    return found;
  };
  beforeEach(() => {
    execFileSync('useradd', ['--system', '--no-create-home', '--user-group', name]);
    chownSync(base, user().uid, user().gid);
  });
  afterEach(() => {
    execFileSync('userdel', ['--force', name], { stdio: 'ignore' });
  });

  test('it runs the server itself, from a directory that only it can enter', async () => {
    chmodSync(base, 0o700);
    const report = await startAndStop(join(base, 'data'), user());
    expect(report.error).toBeUndefined();
    expect(report.dataPath).toBe(join(base, 'data', 'postgres', 'data'));
    expect(statSync(report.dataPath).uid).toBe(user().uid);
  });

  test('a start by root runs the server as the owner of the data and the owner keeps access', async () => {
    chmodSync(base, 0o755);
    const dataDir = join(base, 'data');
    await startAndStop(dataDir, user(), 'create table kept (id int)');
    const asRoot = await startAndStop(dataDir, undefined, 'insert into kept values (1)');
    expect(statSync(asRoot.dataPath).uid).toBe(user().uid);
    expect((await startAndStop(dataDir, user(), 'select from kept')).error).toBeUndefined();
  });

  test("another user's directory is refused with advice", async () => {
    chmodSync(base, 0o755);
    const dataDir = join(base, 'data');
    mkdirSync(dataDir);
    await startAndStop(dataDir);
    expect(await refusal(dataDir, user())).toContain('start it as that one');
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o755 });
    expect(await refusal(join(closed, 'data'), user())).toContain('as DATA_DIR: EACCES');
  });
});

function hasUseradd(): boolean {
  try {
    execFileSync('useradd', ['--help'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
