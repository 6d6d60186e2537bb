/** A balance that stays below zero: two events go to the seller, and the uncovered part is written off. */

import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { minor } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import { readFindings } from '../../financials/jobs/audit.ts';
import { followOldDebt } from './follow-debt.ts';
import { holdReserve } from './reserves.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-07-30T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;

beforeAll(() => untilJobsRest(app));

interface DebtEvent {
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}
const look = (sellerId: string, day: string) => {
  const at = { ...services, now: () => Date.parse(`${day}T02:00:00Z`) };
  return services.withSellerLong(sellerId, 'write', (db) =>
    followOldDebt(acting(at, { db, seller_id: sellerId }), 'AUD'),
  );
};
const debtEvents = async (seller: TestSeller): Promise<unknown[]> => {
  const { body } = await seller.call<{ data: DebtEvent[] }>('GET', '/webhooks/events?types=balance.*');
  return body.data.map(({ type, data }) => [type, data.object['days'], data.object['written_off_minor']]);
};
const balance = async (seller: TestSeller): Promise<Readonly<Record<string, number>>> =>
  (await seller.call<{ pending_breakdown: Record<string, number> }>('GET', '/financials/dashboard')).body
    .pending_breakdown;

describe('a debt', () => {
  test('is reported after 30 and 60 days and written off after 180, each once for any number of runs of the job', async () => {
    const seller = await app.seller();
    const { seller_id } = seller;
    const { post } = bookkeeper(app, seller_id);
    await post('2025-12-20', [{ amount: 100, type: 'manual_adjustment' }]);
    await post('2026-01-10', [{ amount: -600, type: 'manual_adjustment' }]);
    for (const day of ['2026-02-08', '2026-02-09', '2026-02-09', '2026-03-10', '2026-03-11', '2026-07-08'])
      expect(await look(seller_id, day), day).toBeUndefined();
    // Ten run at once; one of them writes it off.
    const looks = await Promise.all(Array.from({ length: 10 }, () => look(seller_id, '2026-07-09')));
    expect(looks.filter((loss) => loss !== undefined)).toEqual([500n]);
    expect(await look(seller_id, '2026-07-10')).toBeUndefined();
    await expect
      .poll(() => debtEvents(seller), { timeout: 10_000 })
      .toEqual([
        ['balance.negative', 30, null],
        ['balance.negative', 60, null],
        ['balance.written_off', 180, 500],
      ]);
    expect(await balance(seller)).toMatchObject({ available_minor: 0 });
    const lines = await seller.call<{ data: Record<string, unknown>[] }>(
      'GET',
      '/financials/entries?from=2026-07-01',
    );
    expect(lines.body.data).toMatchObject([
      { type: 'manual_adjustment', amount_minor: 500, description: 'Negative balance written off' },
    ]);
  });

  test('that was covered in between begins anew', async () => {
    const seller = await app.seller();
    const { post } = bookkeeper(app, seller.seller_id);
    await post('2026-01-10', [{ amount: -600, type: 'manual_adjustment' }]);
    await look(seller.seller_id, '2026-02-20');
    await post('2026-02-25', [{ amount: 600, type: 'manual_adjustment' }]);
    await post('2026-02-27', [{ amount: -300, type: 'manual_adjustment' }]);
    await look(seller.seller_id, '2026-03-20');
    await look(seller.seller_id, '2026-03-29');
    await expect
      .poll(() => debtEvents(seller), { timeout: 10_000 })
      .toEqual([
        ['balance.negative', 30, null],
        ['balance.negative', 30, null],
      ]);
    expect(await look(seller.seller_id, '2026-07-20')).toBeUndefined();
  });

  test('is written off except for the part that a reserve covers', async () => {
    const seller = await app.seller();
    const { post } = bookkeeper(app, seller.seller_id);
    await post('2026-01-10', [{ amount: -600, type: 'manual_adjustment' }]);
    const occurred_at = '2026-01-11T02:00:00Z';
    const at = { ...services, now: () => Date.parse(occurred_at) };
    await services.withSellerLong(seller.seller_id, 'write', (db) =>
      holdReserve(
        acting(at, { db, seller_id: seller.seller_id }),
        {
          reserve_id: 'rsv_1',
          amount_minor: minor(700),
          currency: 'AUD',
          reason_code: 'risk',
          release_on: null,
        },
        { occurred_at, actor: 'test', source_event_id: null },
      ),
    );
    // The balance is 13.00 below zero, and a reserve covers 7.00, so 6.00 is written off.
    expect(await look(seller.seller_id, '2026-07-20')).toBe(600n);
    expect(await look(seller.seller_id, '2026-07-21')).toBeUndefined();
    expect(await balance(seller)).toMatchObject({ available_minor: -700, reserved_minor: 700 });
  });
});

test('the nightly job finds exactly the sellers with debts', async () => {
  const debtor = await app.seller();
  const other = await app.seller();
  await bookkeeper(app, debtor.seller_id).post('2026-07-01', [{ amount: -250, type: 'manual_adjustment' }]);
  await bookkeeper(app, other.seller_id).post('2026-07-01', [{ amount: 250, type: 'manual_adjustment' }]);
  const moved = await callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: '2026-08-02T00:00:00.000Z' },
  });
  expect(moved.status).toBe(200);
  const [mine, theirs] = [await debtor.renew(), await other.renew()];
  await expect.poll(() => debtEvents(mine), { timeout: 10_000 }).toEqual([['balance.negative', 30, null]]);
  expect(await debtEvents(theirs)).toEqual([]);
  const notes = await mine.call<{ data: { title: string }[] }>('GET', '/notifications');
  expect(notes.body.data.map(({ title }) => title)).toContainEqual(
    expect.stringMatching(/^Your balance has been below zero since 2026-07-01: -\d+\.\d\d AUD$/),
  );
});

test('all invariants still hold', async () => {
  const findings = await readFindings(services.withSystemLong);
  expect(
    findings.filter(({ violations }) => violations > 0).map(({ id, examples }) => [id, examples]),
  ).toEqual([]);
});
