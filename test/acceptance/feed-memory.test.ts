/**
 * Memory stays flat: a file needs no more than 250 MB of heap above idle, also one of 100,000 rows
 * (`FEED_MEMORY_ROWS`).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { csv, goods } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';

const ROWS = Number(process.env['FEED_MEMORY_ROWS'] ?? 40_000);
const MiB = 1024 * 1024;
const LIMIT_MIB = 250;
const PRELOAD = fileURLToPath(new URL('../support/report-memory.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'spp-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const report = join(folder, 'memory.json');
const cluster = await prepareCluster((await testDatabase()).url);

interface Memory {
  readonly heapUsed: number;
  readonly arrayBuffers: number;
  readonly rss: number;
}
const memory = (): { now: Memory; peak: Memory } => JSON.parse(readFileSync(report, 'utf8'));
const inMiB = (bytes: number): number => Math.round(bytes / MiB);

const text = (index: number): string =>
  `A sturdy mug, number ${index}, thrown by hand; it keeps tea warm. `.repeat(3);
const file = (price: string): string =>
  csv(
    Array.from({ length: ROWS }, (_, index) =>
      goods(`M-${index}`, {
        price,
        description: text(index),
        brand: 'Harbour Clay',
        category: 'Home > Kitchen > Mugs',
        image_urls: `https://cdn.example.com/p/${index}.jpg`,
        'attributes.colour': 'Blue',
        'attributes.size': String(index % 7),
      }),
    ),
  );

interface Answer {
  readonly status: number;
  readonly run_id: string | undefined;
}

async function send(at: Member, token: string, path: string, body?: string): Promise<Answer> {
  const response = await fetch(`${at.api}/products/feed-runs${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/csv',
      'idempotency-key': path || 'run',
    },
    ...(body === undefined ? {} : { body }),
  });
  const { run_id } = (await response.json()) as { run_id?: string };
  return { status: response.status, run_id };
}

test(`feeding ${ROWS} rows, changing, refusing and reverting all of them stays within ${LIMIT_MIB} MB above idle`, async () => {
  const service = await cluster.start({
    MEMORY_REPORT: report,
    // The heap cannot grow beyond the limit: a run that needs more kills the process.
    NODE_OPTIONS: `--import=${PRELOAD} --max-old-space-size=${LIMIT_MIB}`,
    MAX_SYNC_SECONDS: '600',
    MAX_FEED_BYTES: String(256 * MiB),
    RATE_LIMITS: 'off',
  });
  const { token } = await cluster.seller(service);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const idle = memory().now;
  const figures: string[] = [];
  const step = async (name: string, path: string, status: number, body?: string): Promise<string> => {
    const answer = await send(service, token, path, body);
    expect([name, answer.status]).toEqual([name, status]);
    const { peak } = memory();
    figures.push(
      `${name}: heap ${inMiB(peak.heapUsed)} MiB (idle ${inMiB(idle.heapUsed)}), buffers ${inMiB(peak.arrayBuffers)}, rss ${inMiB(peak.rss)}`,
    );
    return answer.run_id ?? '';
  };
  await step('create', '', 201, file('24.99'));
  const changed = await step('change', '?mode=update_only', 201, file('29.99'));
  await step('refuse', '?mode=create_only&on_error=abort', 422, file('1'));
  await step('revert', `/${changed}/revert`, 201);
  expect(inMiB(memory().peak.heapUsed - idle.heapUsed), figures.join('\n')).toBeLessThan(LIMIT_MIB);
  expect(inMiB(memory().peak.arrayBuffers - idle.arrayBuffers), figures.join('\n')).toBeLessThan(LIMIT_MIB);
  if (process.env['FEED_FIGURES'] !== undefined) process.stdout.write(`${figures.join('\n')}\n`);
  await service.end('SIGTERM');
}, 600_000);
