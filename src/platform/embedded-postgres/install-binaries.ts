import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { codeOf } from './embedded-server-error.ts';
import type { Binaries } from './packaged-binaries.ts';

const MANIFEST = 'MANIFEST.json';

/** Path relative to the root → SHA-256 of the file, the whole tree but for links. */
type Manifest = Record<string, string>;

/**
 * Copies the binaries into a directory of their own below `parent`, named by version and content, unless
 * a whole copy is there already. A copy appears under its name only when it is complete and on disk, and
 * is checked against its digests before each use: half a copy is never run.
 *
 * @returns the copy, readable and executable by every user
 */
export function installBinaries(source: Binaries, parent: string): Binaries {
  const files = listFiles(source.root);
  const root = join(parent, `postgresql-${source.version}-${fingerprint(source.root, files)}`);
  const copy = { ...source, root };
  if (isIntact(root)) return copy;
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  const draft = `${root}.${process.pid}.part`;
  rmSync(draft, { recursive: true, force: true });
  copyTree(source, files, draft);
  publish(draft, root);
  return copy;
}

/** Whether every file of the manifest is there with the content it was copied with. */
export function isIntact(root: string): boolean {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, MANIFEST), 'utf8'));
    return Object.entries(manifest).every(([path, digest]) => digestOf(join(root, path)) === digest);
  } catch {
    return false;
  }
}

function copyTree(source: Binaries, files: string[], target: string): void {
  const manifest: Manifest = {};
  for (const path of files) {
    const to = join(target, path);
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
    copyFileSync(join(source.root, path), to);
    // The installing user's umask must not keep the server's user out.
    chmodSync(to, path.startsWith('bin/') ? 0o755 : 0o644);
    sync(to);
    manifest[path] = digestOf(to);
  }
  for (const { path, target: linked } of source.links) {
    symlinkSync(relative(dirname(path), linked), join(target, path));
  }
  for (const directory of listDirectories(target)) chmodSync(directory, 0o755);
  writeFileSync(join(target, MANIFEST), JSON.stringify(manifest), { mode: 0o644 });
  sync(join(target, MANIFEST));
}

/** Moves the finished copy to its name. Another start may have been faster: then its copy serves. */
function publish(draft: string, root: string): void {
  if (existsSync(root) && !isIntact(root)) rmSync(root, { recursive: true, force: true });
  try {
    renameSync(draft, root);
  } catch (thrown) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(thrown) ?? '') || !isIntact(root)) throw thrown;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Tells builds apart that carry the same version. Times differ between installs of one build: not used. */
function fingerprint(root: string, files: string[]): string {
  const hash = createHash('sha256');
  for (const path of files) hash.update(`${path} ${lstatSync(join(root, path)).size}\n`);
  return hash.digest('hex').slice(0, 12);
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function listDirectories(root: string): string[] {
  const below = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return [root, ...below];
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
