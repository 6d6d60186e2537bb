/** Copies the embedded database while it runs, by PostgreSQL's low-level backup calls. */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { asSuperuser } from './cluster.ts';
import { PASSABLE, writeState } from './data-directory.ts';
import { codeOf, EmbeddedServerError } from './embedded-server-error.ts';
import { runningServer } from './running-server.ts';

/**
 * Directories whose content belongs to the running server only (PostgreSQL manual, "Backing Up The Data Directory").
 */
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

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Gives a copy the owner of its source, because the server does not run as root. */
function keepOwner(path: string, owner: Owner): void {
  if (process.getuid?.() === 0) fs.chownSync(path, owner.uid, owner.gid);
}

function copyFile(from: string, to: string, owner: Owner): void {
  try {
    fs.copyFileSync(from, to);
  } catch (thrown) {
    // PostgreSQL has deleted the file during the copy. The first start of the copy replays the log and deletes it too.
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  const handle = fs.openSync(to, 'r+');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  keepOwner(to, owner);
}

function copyDirectory(from: string, to: string, owner: Owner, withContent: (name: string) => boolean): void {
  fs.mkdirSync(to, { mode: 0o700 });
  keepOwner(to, owner);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (NOT_FILES.test(entry.name)) continue;
    if (!entry.isDirectory()) copyFile(source, target, owner);
    else if (withContent(entry.name)) copyDirectory(source, target, owner, () => true);
    else {
      fs.mkdirSync(target, { mode: 0o700 });
      keepOwner(target, owner);
    }
  }
}

/** Copies the files between the two backup calls. The log is copied last and has the changes during the copy. */
async function copyCluster(client: pg.Client, dataPath: string, target: string): Promise<void> {
  const owner = fs.statSync(dataPath);
  // A temporary slot keeps the log until this session ends.
  await client.query(
    "select pg_create_physical_replication_slot('spp_backup_' || pg_backend_pid(), true, true)",
  );
  await client.query("select pg_backup_start('spp backup', true)");
  copyDirectory(dataPath, target, owner, (name) => !NOT_CONTENT.has(name));
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  const label = join(target, 'backup_label');
  fs.writeFileSync(label, rows[0]?.labelfile ?? '', { mode: 0o600, flush: true });
  keepOwner(label, owner);
  for (const name of fs.readdirSync(join(dataPath, 'pg_wal')).filter((file) => WAL_SEGMENT.test(file)))
    copyFile(join(dataPath, 'pg_wal', name), join(target, 'pg_wal', name), owner);
}

function emptyDirectory(path: string): string {
  const target = resolve(path);
  if (fs.existsSync(target) && fs.readdirSync(target).length > 0)
    throw new EmbeddedServerError(`${target} is not empty: a backup goes into a folder of its own.`);
  fs.mkdirSync(target, { recursive: true });
  fs.chmodSync(target, PASSABLE);
  return target;
}

/**
 * Copies the running embedded database and the generated keys of `dataDir` into `folder`, which can then be the
 * `DATA_DIR` of a service. That service starts with everything that was committed when the copy ended.
 *
 * @throws EmbeddedServerError when no server runs there, or the folder is not empty
 */
export async function backUpEmbedded(dataDir: string, folder: string): Promise<void> {
  const { state, dataPath, port } = runningServer(dataDir, 'copy the directory as it is');
  const target = emptyDirectory(folder);
  const home = join(target, 'postgres');
  fs.mkdirSync(home);
  fs.chmodSync(home, PASSABLE);
  const server = { port, password: state.superuserPassword, database: 'postgres' };
  await asSuperuser(server, (client) => copyCluster(client, dataPath, join(home, 'data')));
  const keys = join(dataDir, 'keys');
  if (fs.existsSync(keys)) fs.cpSync(keys, join(target, 'keys'), { recursive: true });
  // The state file is copied last. Without it, a service does not use an incomplete copy as its database.
  writeState(target, { ...state, home, port: undefined });
}
