import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** Replaces the program: prints its arguments, and ends with the exit code that it is given. */
const MAIN = `
const [word, code]: string[] = process.argv.slice(2);
const waits = word === 'wait';
if (waits) process.on('SIGTERM', () => { console.log('ending'); process.exit(7); });
console.log(JSON.stringify({ word, cwd: process.cwd() }));
if (waits) setInterval(() => undefined, 60_000);
else process.exit(Number(code ?? 0));
`;
const OLD_NODE = "Object.defineProperty(process, 'versions', { value: { node: '20.11.0' } });";
const NO_EXECVE = 'process.execve = undefined;';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spp-start-'));
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, 'node_modules'));
  cpSync('bin', join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'src', 'main.ts'), MAIN);
});
afterEach(() => rmSync(root, { recursive: true }));

function command(args: string[], before = ''): string[] {
  const preload = before === '' ? [] : ['--import', `data:text/javascript,${encodeURIComponent(before)}`];
  return [...preload, join(root, 'bin', 'spp.mjs'), ...args];
}

function run(args: string[], before?: string) {
  return spawnSync(process.execPath, command(args, before), { encoding: 'utf8', cwd: tmpdir() });
}

function installNode(): void {
  const path = join(root, 'node_modules', 'node', 'bin', 'node');
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(process.execPath, path);
}

test('without dependencies the command says what to do', () => {
  rmSync(join(root, 'node_modules'), { recursive: true });
  const { status, stderr } = run([]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('npm ci') });
});

test.each([
  [['migrate', '--help'], 'migrate does not take "--help"'],
  [['backup', '--help'], 'backup does not take "--help"'],
  [['serve', '--data', 'x'], 'serve does not take "--data"'],
  [['jobs', 'retry', 'a', 'b'], 'jobs does not take "b"'],
])('%j is refused before anything is done', (args, sentence) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/spp.mjs', ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATA_DIR: join(root, 'data') },
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(existsSync(join(root, 'data'))).toBe(false);
});

test('an older Node without a newer one beside it says so and stops', () => {
  const { status, stdout, stderr } = run(['hello'], OLD_NODE);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('This is Node 20.11.0; the service needs Node 24 or newer');
});

test('an older Node starts the newer one beside it', () => {
  installNode();
  const { status, stdout } = run(['hello', '3'], OLD_NODE + NO_EXECVE);
  expect({ status, said: JSON.parse(stdout) }).toMatchObject({ status: 3, said: { word: 'hello' } });
});

test('if the Node of the repository does not run, a new enough one runs instead', () => {
  const path = join(root, 'node_modules', 'node', 'bin', 'node');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'not a program', { mode: 0o755 });
  expect(run(['hello']).status).toBe(0);
});

describe.each([
  ['becoming it', ''],
  ['beside it', NO_EXECVE],
])('%s', (_how, before) => {
  test('arguments, directory and exit code are passed through', () => {
    const { status, stdout } = run(['hello', '5'], before);
    expect({ status, said: JSON.parse(stdout) }).toMatchObject({
      status: 5,
      said: { word: 'hello', cwd: expect.stringContaining(tmpdir()) },
    });
  });

  test('a signal reaches the program, which ends by itself', async () => {
    const child = spawn(process.execPath, command(['wait'], before), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).toBe(7);
    expect(Buffer.concat(said).toString()).toContain('ending');
  });
});
