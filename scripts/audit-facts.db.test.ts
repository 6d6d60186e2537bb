/** The output of `npm run audit:facts`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startTestApp } from '../test/support/app.ts';
import { asOwner } from '../test/support/audit.ts';
import { callInternal } from '../test/support/internal.ts';
import { placeOrder, stocked } from '../test/support/orders.ts';

const SCRIPT = fileURLToPath(new URL('audit-facts.ts', import.meta.url));
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-09-28T00:00:00Z' });

const audit = (url: string) =>
  new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: url };
    execFile(process.execPath, [SCRIPT], { env }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
const moveTo = async (now: string): Promise<void> => {
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } })).status).toBe(200);
};

test('says that the facts agree, then names the seller, the days and products that differ', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [{ sku, product_id }, theirs] = [await stocked(seller, 10), await stocked(other, 10)];
  await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  await placeOrder(app, other, [{ sku: theirs.sku }]);
  await moveTo('2026-09-29T20:00:00Z');
  const whole = await audit(app.database.url);
  expect(whole).toMatchObject({ status: 0, stdout: 'The facts agree with the orders. Sellers: 2.\n' });

  // What the next night will count is no difference.
  await placeOrder(app, seller, [{ sku }], { placed_at: '2026-09-27T00:00:00Z' });
  expect((await audit(app.database.url)).status).toBe(0);

  const change = 'update fact_sku_day set demand_units = 2 where seller_id = $1';
  await asOwner(app, change, [seller.seller_id]);
  const { status, stdout } = await audit(app.database.url);
  expect(status).toBe(1);
  expect(stdout).toBe(
    `${seller.seller_id}  1 facts differ from the orders\n  2026-09-28  ${product_id}\n` +
      'The facts of 1 of 2 sellers differ from their orders.\n',
  );
});

test('says why it could not run, and ends with 2', async () => {
  const url = new URL(app.database.url);
  url.pathname = '/nothing_there';
  const { status, stderr } = await audit(url.href);
  expect(status).toBe(2);
  expect(stderr).toContain('nothing_there');
});
