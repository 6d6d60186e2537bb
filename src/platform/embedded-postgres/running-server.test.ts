import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { isAlive, parsePostmaster, runningServer, servesDirectory } from './running-server.ts';

const FULL = ['4711', '/data', '1790000000', '5433', '', '127.0.0.1', '  1234567     42', 'ready   ', ''];

test('postmaster.pid is parsed', () => {
  expect(parsePostmaster(FULL.join('\n'))).toEqual({
    pid: 4711,
    port: 5433,
    startedAt: 1_790_000_000,
    status: 'ready',
  });
});

test.each(['starting', 'stopping', 'standby'] as const)('knows the status %s', (status) => {
  expect(parsePostmaster([...FULL.slice(0, 7), status, ''].join('\n'))?.status).toBe(status);
});

test('a half-written file has no status yet', () => {
  expect(parsePostmaster(FULL.slice(0, 4).join('\n'))?.status).toBe('unknown');
});

test.each(['', '\n\n', 'x\n', '-5\n', '0\n', '1.5\n'])('%j names no process', (text) => {
  expect(parsePostmaster(text)).toBeUndefined();
});

test('an ended process is not alive, and a process number alone does not serve a directory', async () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(servesDirectory(process.pid, '/nowhere')).toBe(false);
  const child = spawn('true');
  await once(child, 'exit');
  expect(isAlive(child.pid ?? 0)).toBe(false);
});

test.each(['/nonexistent/folder', tmpdir()])(
  '%s holds no database, and the error says what to do',
  (folder) => {
    expect(() => runningServer(folder, 'start it')).toThrow(
      `${folder} holds no embedded database. DATA_DIR names another folder, DATABASE_URL another server.`,
    );
  },
);
