/** The walk-through that a start prints, run by a shell line by line as a newcomer would paste it. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { prepareDemo } from '../support/demo-service.ts';
import { testDatabase } from '../support/pg.ts';

const run = promisify(execFile);
const database = await testDatabase();
const demo = prepareDemo(database.url);
const folder = await mkdtemp(join(tmpdir(), 'spp-walk-'));
await cp(new URL('../../examples', import.meta.url), join(folder, 'examples'), { recursive: true });
afterAll(() => rm(folder, { recursive: true, force: true }));
const inFolder = (name: string): Promise<string> => readFile(join(folder, name), 'latin1');

test('every line works when pasted, and the numbers tell the story', { timeout: 120_000 }, async () => {
  const service = demo.start();
  const steps = await service.steps();
  const changed = steps.find(({ title }) => /act as the marketplace/.test(title))?.command ?? '';
  const pasted = [...steps.map(({ command }) => command), `sleep 1; ${changed}`];
  const script = pasted.map((command, index) => `echo "@@${index}"\n${command}`).join('\n');
  const { stdout } = await run('bash', ['-e', '-c', script], {
    cwd: folder,
    maxBuffer: 8_000_000,
  });
  const outputs = stdout.split(/@@\d+\n/).slice(1);
  const output = (title: RegExp): string => outputs[steps.findIndex((step) => title.test(step.title))] ?? '';
  const json = (title: RegExp) => JSON.parse(output(title).split('\n', 1)[0] ?? '');
  expect(json(/at a glance/).completed_payout_minor).toBeGreaterThan(0);
  expect(json(/two a month/).data[0].status).toBe('open');
  expect(json(/last one that was paid/)).toMatchObject({ status: 'paid' });
  expect(json(/first lines/).data).toHaveLength(4);
  expect(json(/Prove it/)).toMatchObject({ status: 'balanced', failing: null });
  const sum = (file: string, column: number): number =>
    file
      .trim()
      .split('\r\n')
      .slice(1)
      .reduce((cents, row) => cents + Math.round(Number(row.split(',')[column]) * 100), 0);
  expect(sum(await inFolder('journal.csv'), 4)).toBe(0);
  expect((await inFolder('settlement.csv')).split('\r\n').length).toBeGreaterThan(20);
  expect(await inFolder('invoice.pdf')).toMatch(/^%PDF-/);
  expect(json(/to the bank/).data[0]).toMatchObject({ status: 'paid' });
  expect(json(/order was charged/)).toMatchObject({ order_id: expect.stringMatching(/^ord_/) });
  expect(json(/before it happens/).data[0].missing_components).toEqual(['payment_processing']);
  expect(output(/this quarter/)).toMatch(/^period_label,/);
  const accounts: { balance_minor: number }[] = json(/every account/).data;
  expect(accounts.reduce((left, { balance_minor }) => left + balance_minor, 0)).toBe(0);
  expect(json(/newest order/).data).toHaveLength(1);
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
  expect(await inFolder('label.pdf')).toMatch(/^%PDF-/);
  expect(output(/Hand it over/).trim()).toBe('"status":"dispatched"');
  expect(output(/Its events/)).toContain('"type":"order.created"');
  expect(output(/The notifications/)).toContain('accept or reject it by');
  expect(output(/act as the marketplace/)).toContain('"status":"applied"');
  expect(outputs.at(-1)).toContain('"status":"applied"');
  expect(output(/what the file is/)).toContain('"profile":"store_platform_products"');
  expect(output(/Import it/)).toContain('"rows":6,"created":3');
  await service.end('SIGINT');
});
