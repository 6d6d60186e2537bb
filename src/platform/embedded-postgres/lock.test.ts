import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory } from './lock.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spp-lock-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const inUse = (holder: string): string => `in use by ${holder}`;

test('a second lock of a directory is refused and names the holder, until the first is released', () => {
  const unlock = lockDirectory(base, inUse);
  expect(() => lockDirectory(base, inUse)).toThrow(`in use by process ${process.pid}`);
  unlock();
  unlock();
  lockDirectory(base, inUse)();
});

test('a lock outlives a garbage collection and ends with a kill of its process', async () => {
  const module = JSON.stringify(new URL('./lock.ts', import.meta.url).href);
  const program = `import { lockDirectory } from ${module};
    lockDirectory(process.argv[1], String); gc(); console.log('held'); setInterval(() => {}, 1e6);`;
  const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program, base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  expect(() => lockDirectory(base, inUse)).toThrow(`in use by process ${holder.pid}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDirectory(base, inUse)();
});
