import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileOutput } from './file-output.ts';
import { createLog } from './log.ts';

test('the file gets every line and begins anew; the terminal gets warnings and errors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spp-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'data', 'service.log');
  const terminal: string[] = [];
  const log = () => createLog('info', fileOutput(path, { write: (line: string) => terminal.push(line) > 0 }));
  log().info({}, 'of an earlier start');
  const second = log();
  second.info({ route: 'orders.list' }, 'request');
  second.warn({}, 'the disk is almost full');
  const messages = (lines: string): string[] =>
    lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { message: string }).message);
  expect(messages(readFileSync(path, 'utf8'))).toEqual(['request', 'the disk is almost full']);
  expect(messages(terminal.join(''))).toEqual(['the disk is almost full']);
});
