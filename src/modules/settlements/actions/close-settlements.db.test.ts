/** Several workers close several overdue periods: each period once, one after the other. */

import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { acting } from '../../../platform/acting.ts';
import { readFindings } from '../../financials/jobs/audit.ts';
import { issueInvoices } from '../../invoices/actions/issue-invoices.ts';
import { listSettlements } from '../store/settlements.ts';
import { type ClosedSettlement, closeNext } from './close-settlements.ts';
import { policyOf } from './policy.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-20T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;

/** Closes like the job, at an instant. */
async function close(sellerId: string, now: number): Promise<ClosedSettlement[]> {
  const closed: ClosedSettlement[] = [];
  for (;;) {
    const one = await services.withSellerLong(sellerId, 'write', (db) => {
      return closeNext(
        acting({ ...services, now: () => now }, { db, seller_id: sellerId }),
        policyOf(services),
        'AUD',
        issueInvoices,
      );
    });
    if (one === undefined) return closed;
    closed.push(one);
  }
}

test('many workers at once close each period once, and carry the balance until it reaches the smallest payout', async () => {
  const { seller_id } = await app.seller();
  const { post } = bookkeeper(app, seller_id);
  await post('2026-04-03', [{ amount: 50, type: 'manual_adjustment' }]);
  await post('2026-05-20', [{ amount: 30, type: 'manual_adjustment' }]);
  await post('2026-06-19', [{ amount: 100, type: 'manual_adjustment' }]);
  const at = Date.parse('2026-06-20T00:00:00Z');
  const all = (await Promise.all([1, 2, 3, 4].map(() => close(seller_id, at)))).flat();
  expect(all.map(({ period_start }) => period_start).sort()).toEqual([
    '2026-04-01',
    '2026-04-16',
    '2026-05-01',
    '2026-05-16',
    '2026-06-01',
  ]);
  // The close is due in the night after the period, not a millisecond before 02:00 in Sydney.
  const night = Date.parse('2026-06-30T16:00:00Z');
  expect(await close(seller_id, night - 1)).toEqual([]);
  expect(await close(seller_id, night)).toHaveLength(1);
  const rows = await services.withSeller(seller_id, 'read', (db) =>
    listSettlements({ db, seller_id }, { include_empty: true }, undefined, 50),
  );
  expect(
    rows
      .toReversed()
      .map((row) => [
        row.period_end,
        row.status,
        row.opening_balance_minor,
        row.payout_amount_minor,
        row.closing_balance_minor,
      ]),
  ).toEqual([
    ['2026-04-15', 'carried_forward', 0n, 0n, 50n],
    ['2026-04-30', 'carried_forward', 50n, 0n, 50n],
    ['2026-05-15', 'carried_forward', 50n, 0n, 50n],
    ['2026-05-31', 'carried_forward', 50n, 0n, 80n],
    ['2026-06-15', 'carried_forward', 80n, 0n, 80n],
    ['2026-06-30', 'ready', 80n, 180n, 0n],
  ]);
  const findings = await readFindings(services.withSystemLong);
  expect(findings.filter(({ violations }) => violations > 0).map(({ id }) => id)).toEqual([]);
});

test('a later debt holds unpaid settlements until it is covered', async () => {
  const { seller_id } = await app.seller();
  const { post } = bookkeeper(app, seller_id);
  const status = async (): Promise<unknown[]> => {
    const rows = await services.withSeller(seller_id, 'read', (db) =>
      listSettlements({ db, seller_id }, {}, undefined, 50),
    );
    return rows.toReversed().map((row) => [row.period_end, row.status, row.hold_reasons]);
  };
  await post('2026-05-10', [{ amount: 900, type: 'manual_adjustment' }]);
  await close(seller_id, Date.parse('2026-05-16T00:00:00Z'));
  await post('2026-05-20', [{ amount: -400, type: 'manual_adjustment' }]);
  await close(seller_id, Date.parse('2026-06-02T00:00:00Z'));
  expect(await status()).toEqual([
    ['2026-05-15', 'on_hold', ['negative_balance']],
    ['2026-05-31', 'carried_forward', []],
  ]);
  await post('2026-06-10', [{ amount: 1_000, type: 'manual_adjustment' }]);
  await close(seller_id, Date.parse('2026-06-16T00:00:00Z'));
  expect(await status()).toEqual([
    ['2026-05-15', 'ready', []],
    ['2026-05-31', 'carried_forward', []],
    ['2026-06-15', 'ready', []],
  ]);
});
