import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Binaries } from './binaries.ts';
import { installBinaries, isIntact } from './binaries.ts';

let base = '';
let source: Binaries;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spp-binaries-'));
  const root = join(base, 'package');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'lib'));
  writeFileSync(join(root, 'bin', 'postgres'), 'program');
  writeFileSync(join(root, 'lib', 'libpq.so.5.18'), 'library');
  chmodSync(join(root, 'lib'), 0o700);
  source = { root, version: '18.4-test', links: [{ path: 'lib/libpq.so.5', target: 'lib/libpq.so.5.18' }] };
});
afterEach(() => rmSync(base, { recursive: true }));

test('the copy is complete, has the links that npm leaves out and every user can run it', () => {
  const { root } = installBinaries(source, join(base, 'copies'));
  expect(readFileSync(join(root, 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
  expect(statSync(join(root, 'bin', 'postgres')).mode & 0o777).toBe(0o755);
  expect(statSync(join(root, 'lib')).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(base, 'copies'))).toHaveLength(1);
});

test('a copy is used again, and replaced when a file of it is damaged or missing', () => {
  const first = installBinaries(source, join(base, 'copies'));
  const { ino } = statSync(join(first.root, 'bin', 'postgres'));
  expect(installBinaries(source, join(base, 'copies')).root).toBe(first.root);
  expect(statSync(join(first.root, 'bin', 'postgres')).ino).toBe(ino);
  for (const damage of [
    () => writeFileSync(join(first.root, 'bin', 'postgres'), 'progrbm'),
    () => rmSync(join(first.root, 'lib', 'libpq.so.5.18')),
    () => rmSync(join(first.root, 'files.json')),
  ]) {
    damage();
    expect(isIntact(first.root)).toBe(false);
    expect(isIntact(installBinaries(source, join(base, 'copies')).root)).toBe(true);
  }
});

test('other binaries are installed beside those that a server may be running', () => {
  const first = installBinaries(source, join(base, 'copies'));
  writeFileSync(join(source.root, 'bin', 'postgres'), 'another program');
  const second = installBinaries(source, join(base, 'copies'));
  expect(second.root).not.toBe(first.root);
  expect(isIntact(first.root)).toBe(true);
});
