/** A copy of the embedded database that is taken while it serves: PostgreSQL's own way, without its tools. */
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { asSuperuser } from './connect.ts';
import { codeOf, EmbeddedServerError } from './embedded-server-error.ts';
import { writeRecord } from './record.ts';
import { runningServer } from './running-server.ts';

/** Directories whose content belongs to the running server only (PostgreSQL manual, "Backing Up The Data Directory"). */
const NOT_CONTENT = new Set([
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const NOT_FILES = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label.*)$/;
const WAL_SEGMENT = /^[0-9A-F]{24}$/;
/** The target holds nothing secret by itself; the server's user has to pass through it. */
const PASSABLE = 0o711;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Gives a copy the owner of what it was copied from: the server runs as another user than root. */
function keepOwner(path: string, owner: Owner): void {
  if (process.getuid?.() === 0) chownSync(path, owner.uid, owner.gid);
}

function copyFile(from: string, to: string, owner: Owner): void {
  try {
    copyFileSync(from, to);
  } catch (thrown) {
    // Dropped meanwhile: the log that is replayed at the first start drops it again.
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  const handle = openSync(to, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  keepOwner(to, owner);
}

function copyDirectory(from: string, to: string, owner: Owner, withContent: (name: string) => boolean): void {
  mkdirSync(to, { mode: 0o700 });
  keepOwner(to, owner);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (NOT_FILES.test(entry.name)) continue;
    if (!entry.isDirectory()) copyFile(source, target, owner);
    else if (withContent(entry.name)) copyDirectory(source, target, owner, () => true);
    else {
      mkdirSync(target, { mode: 0o700 });
      keepOwner(target, owner);
    }
  }
}

/** The copy between the two calls that make it one: what changed meanwhile stands in the log copied last. */
async function copyCluster(client: pg.Client, dataPath: string, target: string): Promise<void> {
  const owner = statSync(dataPath);
  // Keeps the log of the time of the copy; it ends with this session.
  await client.query(
    "select pg_create_physical_replication_slot('spp_backup_' || pg_backend_pid(), true, true)",
  );
  await client.query("select pg_backup_start('spp backup', true)");
  copyDirectory(dataPath, target, owner, (name) => !NOT_CONTENT.has(name));
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  const label = join(target, 'backup_label');
  writeFileSync(label, rows[0]?.labelfile ?? '', { mode: 0o600, flush: true });
  keepOwner(label, owner);
  for (const name of readdirSync(join(dataPath, 'pg_wal')).filter((file) => WAL_SEGMENT.test(file)))
    copyFile(join(dataPath, 'pg_wal', name), join(target, 'pg_wal', name), owner);
}

function emptyDirectory(path: string): string {
  const target = resolve(path);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new EmbeddedServerError(`${target} is not empty: a backup goes into a folder of its own.`);
  mkdirSync(target, { recursive: true });
  chmodSync(target, PASSABLE);
  return target;
}

/**
 * Copies the running embedded database and the generated keys of `dataDir` into `folder`, which can then be the
 * `DATA_DIR` of a service: it starts with everything that was committed when the copy ended.
 *
 * @throws EmbeddedServerError when no server runs there, or the folder is not empty
 */
export async function backUpEmbedded(dataDir: string, folder: string): Promise<void> {
  const { record, dataPath, port } = runningServer(dataDir, 'copy the directory as it is');
  const target = emptyDirectory(folder);
  const home = join(target, 'postgres');
  mkdirSync(home);
  chmodSync(home, PASSABLE);
  const server = { port, password: record.superuserPassword, database: 'postgres' };
  await asSuperuser(server, (client) => copyCluster(client, dataPath, join(home, 'data')));
  const keys = join(dataDir, 'keys');
  if (existsSync(keys)) cpSync(keys, join(target, 'keys'), { recursive: true });
  // Last: without it nobody takes half a copy for a database.
  writeRecord(target, { ...record, home, port: undefined });
}
