import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newRecord, readRecord, writeRecord } from './record.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spp-record-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const FILE = 'embedded-postgres.json';

test('what one start writes the next one reads, and nobody else', () => {
  expect(readRecord(base)).toBeUndefined();
  const record = { ...newRecord(join(base, 'postgres')), port: 5433 };
  writeRecord(base, record);
  expect(readRecord(base)).toEqual(record);
  expect(statSync(join(base, FILE)).mode & 0o777).toBe(0o600);
});

test('passwords are new each time and long enough not to be guessed', () => {
  const records = [newRecord('/x'), newRecord('/x')];
  const passwords = new Set(records.flatMap((record) => [record.superuserPassword, record.loginPassword]));
  expect(passwords.size).toBe(4);
  for (const password of passwords) expect(password.length).toBeGreaterThanOrEqual(32);
});

test('a data directory can be moved with everything in it; a home outside stays where it is', () => {
  const moved = `${base}-moved`;
  writeRecord(base, newRecord(join(base, 'postgres')));
  renameSync(base, moved);
  expect(readRecord(moved)?.home).toBe(join(moved, 'postgres'));
  writeRecord(moved, newRecord('/var/lib/elsewhere'));
  renameSync(moved, base);
  expect(readRecord(base)?.home).toBe('/var/lib/elsewhere');
});

test.each(['', '{', 'null', '[]', '{"home":""}', '{"home":"/x","superuserPassword":1}'])(
  'a record that reads %j stops the start instead of passing for none',
  (text) => {
    writeFileSync(join(base, FILE), text);
    expect(() => readRecord(base)).toThrow(`Cannot read ${join(base, FILE)}`);
    expect(readFileSync(join(base, FILE), 'utf8')).toBe(text);
  },
);
