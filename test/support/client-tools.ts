/**
 * The generators of clients and the compiler that they need, installed apart from the packages of the service: both
 * generators want TypeScript 5.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOURCES = fileURLToPath(new URL('../clients/', import.meta.url));
const DESCRIPTION = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/clients/', import.meta.url));
/** Without a registry npm tries again for minutes. */
const INSTALL = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--fetch-retries=1',
  '--fetch-timeout=20000',
];
const OUTPUT_BYTES = 16_000_000;

/** A folder with the installed packages, kept as long as the lock file stays the same. */
async function installed(): Promise<string> {
  const lock = await readFile(join(SOURCES, 'package-lock.json'));
  const folder = join(CACHE, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      await cp(join(SOURCES, name), join(fresh, name));
    await run('npm', INSTALL, { cwd: fresh, maxBuffer: OUTPUT_BYTES });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/;

/** The folder with the packages, or why there is none: no registry, or no npm. */
export async function installClientTools(): Promise<{ readonly folder?: string; readonly missing?: string }> {
  try {
    return { folder: await installed() };
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return { missing: 'no npm' };
    if (UNREACHABLE.test(stderr)) return { missing: 'no registry' };
    throw error;
  }
}

/** A folder for one test run below the packages, so that programs in it find them. */
export class ClientWorkspace {
  readonly path: string;
  private readonly packages: string;
  constructor(path: string, packages: string) {
    this.path = path;
    this.packages = packages;
  }

  static async create(packages: string): Promise<ClientWorkspace> {
    const path = await mkdtemp(join(packages, 'run-'));
    await cp(SOURCES, path, { recursive: true, filter: (source) => !source.includes('node_modules') });
    await cp(DESCRIPTION, join(path, 'openapi.json'));
    return new ClientWorkspace(path, packages);
  }

  /** Runs a script of a package; rejects with its output when it fails. */
  async node(script: string, ...args: readonly string[]): Promise<string> {
    const program = join(this.packages, 'node_modules', script);
    try {
      const { stdout } = await run(process.execPath, [program, ...args], {
        cwd: this.path,
        maxBuffer: OUTPUT_BYTES,
      });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${script} failed:\n${stdout}${stderr}`);
    }
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}
