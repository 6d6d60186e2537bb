/** What `npm run verify:audit` says about files that were changed, cut, or are no log. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { canonicalEntry, hashOf, NO_HASH } from '../src/platform/audit/chain.ts';

const SCRIPT = fileURLToPath(new URL('verify-audit.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'spp-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hashes: string[] = [];
const lines = [1, 2, 3, 4, 5].map((seq) => {
  const open = { action: 'products.create', result: 'done', seq, prev_hash: hashes.at(-1) ?? NO_HASH };
  const hash = hashOf(open);
  hashes.push(hash);
  return canonicalEntry({ ...open, hash });
});
/** A checkpoint of the true chain. */
const told = (seq: number): string => `${seq}:${hashes[seq - 1]}`;
const wrong = (seq: number): string => `${seq}:${NO_HASH}`;

function check(text: string, ...checkpoints: string[]): [number | null, string] {
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, file, ...checkpoints], {
    encoding: 'utf8',
  });
  return [status, stdout + stderr];
}
const file = (from = 0, to = lines.length): string => `${lines.slice(from, to).join('\n')}\n`;

test('a whole log, or a part of it, says from where to where it is whole', () => {
  const whole = `The chain is whole from entry 1 to entry 5, ${hashes[4]}.\n`;
  expect(check(file(), told(1), told(5))).toEqual([0, whole]);
  expect(check(file(2), told(2), told(4))).toEqual([0, whole.replace('entry 1', 'entry 3')]);
});

test.each([
  ['another one of the entry before the file', file(2), [wrong(2)], 'Entry 2 is not that of your checkpoint'],
  ['an earlier one', file(2), [told(1)], 'The log begins with entry 3, but your checkpoint names entry 1.'],
  ['a later one', file(0, 3), [told(5)], 'The log ends with entry 3, but your checkpoint names entry 5.'],
  ['two of one entry', file(), [wrong(4), told(4)], 'Entry 4 is not that of your checkpoint'],
])('a checkpoint that does not fit is named: %s', (_which, text, checkpoints, says) => {
  expect(check(text, ...checkpoints)).toEqual([1, expect.stringContaining(says)]);
});

test.each([
  ['two values of one key', (line: string) => line.replace('{', '{"action":"products.delete",')],
  ['a key without a value', (line: string) => line.replace('{', '{"code":null,')],
  ['blanks', (line: string) => line.replace(',', ', ')],
  ['another number', (line: string) => line.replace('"seq":3', '"seq":7')],
])('a line that is not the canonical form was changed: %s', (_what, change) => {
  const changed = lines.with(2, change(lines[2] ?? '')).join('\n');
  expect(check(changed)).toEqual([1, 'Entry 3 was changed or is missing.\n']);
});

test.each([
  ['nothing', '', 'The file has no entry.'],
  ['a blank line at the end', `${file()}\n`, 'Line 6 is no entry of the log.'],
  ['a page', '<html>\n', 'Line 1 is no entry of the log.'],
  ['null', 'null\n', 'Line 1 is no entry of the log.'],
  ['a list', '[]\n', 'Line 1 is no entry of the log.'],
  ['an entry without a number', '{"hash":"a"}\n', 'Line 1 is no entry of the log.'],
])('a file that is no log cannot be read: %s', (_what, text, says) => {
  expect(check(text)).toEqual([2, `${says}\n`]);
});
