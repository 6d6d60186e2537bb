import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { attend } from './attend.ts';

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function sleeper(): ChildProcess & { readonly pid: number } {
  const child = spawn('sleep', ['60']);
  children.push(child);
  if (child.pid === undefined) throw new Error('sleep did not start');
  return Object.assign(child, { pid: child.pid });
}

test('is started again as often as there are waits, then it is lost', async () => {
  const first = sleeper();
  first.kill('SIGKILL');
  const said: string[] = [];
  let starts = 0;
  const attended = attend({
    pid: first.pid,
    waitsMs: [0, 1, 1],
    log: (line) => said.push(line),
    start: async () => {
      starts += 1;
      if (starts === 2) throw new Error('no room');
      const again = sleeper();
      again.kill('SIGKILL');
      return again.pid;
    },
  });
  expect(await attended.lost).toContain(`process ${children.at(-1)?.pid}`);
  expect(starts).toBe(3);
  expect(said.join('\n')).toContain('no room');
});

test('is left alone when that is asked for, also while it is being started', async () => {
  const running = sleeper();
  await attend({ pid: running.pid, start: async () => 0, log: () => undefined }).leave();
  expect(running.exitCode ?? running.signalCode).toBeNull();

  const ended = sleeper();
  ended.kill('SIGKILL');
  let given = false;
  const starting = attend({
    pid: ended.pid,
    log: () => undefined,
    start: (signal) =>
      new Promise((_, reject) => {
        given = true;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  await expect.poll(() => given, { timeout: 20_000 }).toBe(true);
  await starting.leave();
  expect(starting.pid).toBe(ended.pid);
});
