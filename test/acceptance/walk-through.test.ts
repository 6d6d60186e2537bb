/** The walk-through that a start prints, run by a shell line by line as a newcomer would paste it. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { walkThroughSteps } from '../../src/walk-through.ts';
import { startTestApp } from '../support/app.ts';

const run = promisify(execFile);
const app = await startTestApp({ INTERNAL_TOKEN: '' });
const folder = await mkdtemp(join(tmpdir(), 'spp-walk-'));
await cp(new URL('../../examples', import.meta.url), join(folder, 'examples'), { recursive: true });
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every line works when pasted, and the numbers tell the story', { timeout: 60_000 }, async () => {
  const steps = walkThroughSteps({
    apiUrl: app.url,
    internalUrl: app.internalUrl,
    demoUrl: app.demo.url,
    dataDir: app.dataDir,
  });
  const script = steps.map(({ command }, index) => `echo "@@${index}"\n${command}`).join('\n');
  const { stdout } = await run('bash', ['-e', '-c', script], {
    cwd: folder,
    maxBuffer: 8_000_000,
  });
  const outputs = stdout.split(/@@\d+\n/).slice(1);
  const output = (title: RegExp): string => outputs[steps.findIndex((step) => title.test(step.title))] ?? '';
  expect(output(/Register/)).toContain('"status":"active"');
  expect(output(/feed contract/)).toContain('"max_rows":500');
  expect(output(/Upload/)).toMatch(/^frn_\w+/);
  expect(output(/why rows/).match(/"outcome":"rejected"/g)).toHaveLength(3);
  expect(
    output(/as a file/)
      .trim()
      .split('\n'),
  ).toHaveLength(4);
  expect(output(/Feed them back/)).toContain('"rows":3,"created":3');
  expect(output(/Feed the export back/)).toContain('"rows":5,"created":0,"updated":0,"unchanged":5');
  expect(output(/play the marketplace/)).toContain('"status":"applied"');
  expect(output(/what the file is/)).toContain('"profile":"store_platform_products"');
  expect(output(/Import it/)).toContain('"rows":6,"created":3');
});
