import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { keepRunning } from './keep-running.ts';

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

test('a server is restarted once for each wait, then reported as lost', async () => {
  const first = sleeper();
  first.kill('SIGKILL');
  const said: string[] = [];
  let starts = 0;
  const kept = keepRunning({
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
  expect(await kept.lost).toContain(`process ${children.at(-1)?.pid}`);
  expect(starts).toBe(3);
  expect(said.join('\n')).toContain('no room');
});

test('leave() ends the watch and leaves the server, also during a restart', async () => {
  const running = sleeper();
  await keepRunning({ pid: running.pid, start: async () => 0, log: () => undefined }).leave();
  expect(running.exitCode ?? running.signalCode).toBeNull();

  const ended = sleeper();
  ended.kill('SIGKILL');
  let given = false;
  const starting = keepRunning({
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
