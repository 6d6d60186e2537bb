import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runOn } from '../../../test/support/test-server.ts';
import { backUpEmbedded } from './backup.ts';
import { startEmbedded } from './index.ts';

const base = mkdtempSync(join(tmpdir(), 'spp-backup-'));
chmodSync(base, 0o755);
afterAll(() => rmSync(base, { recursive: true, force: true }));
const [live, copy] = [join(base, 'live'), join(base, 'copy')];
const quiet = { log: () => undefined, durability: 'none' } as const;

const rowsOf = (url: string): Promise<number> =>
  runOn(url, async (client) => {
    const { rows } = await client.query<{ rows: number; sum: number }>(
      'select count(*)::int as rows, count(distinct n)::int as sum from t',
    );
    return rows[0]?.rows === rows[0]?.sum ? (rows[0]?.rows ?? 0) : -1;
  });

test('a copy taken during writes starts with all earlier commits, and uses its own data', async () => {
  const server = await startEmbedded({ ...quiet, dataDir: live });
  const { superuserUrl } = server;
  await runOn(superuserUrl, (client) => client.query('create table t (n int primary key, pad text)'));
  let writing = true;
  let committed = 0;
  const writer = runOn(superuserUrl, async (client) => {
    while (writing) {
      await client.query(
        "insert into t select n, repeat('x', 500) from generate_series($1::int, $2::int) n",
        [committed + 1, committed + 200],
      );
      committed += 200;
    }
  });
  await expect.poll(() => committed, { timeout: 20_000 }).toBeGreaterThan(2_000);
  const before = committed;
  await backUpEmbedded(live, copy);
  writing = false;
  await writer;
  await server.stop();
  rmSync(live, { recursive: true });

  const restored = await startEmbedded({ ...quiet, dataDir: copy });
  try {
    const rows = await rowsOf(restored.superuserUrl);
    expect(rows).toBeGreaterThanOrEqual(before);
    expect(rows % 200).toBe(0);
    expect(restored.dataPath.startsWith(copy)).toBe(true);
    await runOn(restored.superuserUrl, (client) => client.query('insert into t values (0, null)'));
    await expect(backUpEmbedded(copy, copy)).rejects.toThrow('is not empty');
  } finally {
    await restored.stop();
  }
});

test('without a running server the backup says what to do and makes no folder', async () => {
  await expect(backUpEmbedded(copy, join(base, 'other'))).rejects.toThrow('copy the directory as it is');
  const empty = join(base, 'empty');
  writeFileSync(empty, '');
  await expect(backUpEmbedded(base, join(base, 'other'))).rejects.toThrow('no embedded database');
  expect(existsSync(join(base, 'other'))).toBe(false);
});
