/** The walk-through that a start prints, run by a shell line by line as a newcomer would paste it. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { createTrader } from '../../src/marketplace/demo/index.ts';
import { walkThroughSteps } from '../../src/walk-through.ts';
import { startTestApp } from '../support/app.ts';

const run = promisify(execFile);
const app = await startTestApp({ INTERNAL_TOKEN: '' });
const folder = await mkdtemp(join(tmpdir(), 'spp-walk-'));
await cp(new URL('../../examples', import.meta.url), join(folder, 'examples'), { recursive: true });
const trader = createTrader({
  internalUrl: app.internalUrl,
  token: (await readFile(join(app.dataDir, 'keys', 'internal-token'), 'utf8')).trim(),
  now: app.app.services.now,
  log: app.app.services.log,
  seed: 11,
  run: 'walk',
});
afterAll(() => trader.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every line works when pasted, and the numbers tell the story', { timeout: 60_000 }, async () => {
  const steps = walkThroughSteps({
    apiUrl: app.url,
    internalUrl: app.internalUrl,
    demoUrl: app.demo.url,
    dataDir: app.dataDir,
  });
  const script = steps.map(({ command }, index) => `echo "@@${index}"\n${command}`).join('\n');
  trader.start();
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
  expect(output(/Wait for an order/)).toMatch(/^ord_\w+/);
  expect(output(/Accept it/).trim()).toBe('"status":"accepted"');
  expect(output(/Make a label/)).toMatch(/"tracking_number":"SPX\d+"/);
  expect((await readFile(join(folder, 'label.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
  expect(output(/Hand it over/).trim()).toBe('"status":"dispatched"');
  expect(output(/What happened/)).toContain('"type":"order.created"');
  expect(output(/should know/)).toContain('waits for your answer');
  expect(output(/play the marketplace/)).toContain('"status":"applied"');
  expect(output(/what the file is/)).toContain('"profile":"store_platform_products"');
  expect(output(/Import it/)).toContain('"rows":6,"created":3');
});
