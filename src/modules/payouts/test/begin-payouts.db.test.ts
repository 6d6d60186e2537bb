/** Payouts that begin while a hold begins, or while one of another seller cannot begin. */
import { expect, test } from 'vitest';
import { PAID_MS } from '../../../../demo/payment-provider/life.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { acting } from '../../../platform/acting.ts';
import { providerInUse } from '../actions/providers.ts';
import { transfer } from '../actions/send-due.ts';
import { beginAttempt } from '../actions/send-payout.ts';
import { payoutJobs } from '../jobs.ts';

const stage = await paymentStage();
const { app } = stage;
const { services } = app.app;
async function due() {
  const seller = await stage.paidSeller();
  await stage.earn(seller, 23_330);
  return seller;
}
const seller = await due();
const others = [await due(), await due(), await due()];
// After the close, and before the service begins the payouts of the day.
await stage.moveTo('2026-06-30T18:00:00.000Z');

interface Settlement {
  readonly settlement_id: string;
  readonly status: string;
}
const settlement = async (): Promise<Settlement> =>
  (
    await stage.rows<Settlement>(
      'select settlement_id, status from settlement where seller_id = $1 and period_end = $2',
      [seller.seller_id, '2026-06-30'],
    )
  )[0] ?? { settlement_id: '', status: 'none' };
const waitingForLocks = () =>
  stage.rows("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");

const sendDue: unknown = Reflect.get(
  payoutJobs.find(({ kind }) => kind === 'payouts.send_due') ?? {},
  'handler',
);
const logged: object[] = [];
const runSendDue = (): Promise<{ readonly againAt: number }> => {
  if (typeof sendDue !== 'function') throw new Error('no job');
  const log = { ...services.log, error: (facts: object) => void logged.push(facts) };
  return sendDue({ ...services, config: { ...services.config, CLOCK: 'system' }, log });
};

test('a payout that cannot begin keeps back no other, and is tried again in an hour', async () => {
  const [first, ...rest] = others.map(({ seller_id }) => seller_id).toSorted();
  await stage.rows(`alter table payout add constraint faulty check (seller_id <> '${first}') not valid`);
  expect(await runSendDue()).toEqual({ againAt: Date.parse('2026-06-30T19:00:00.000Z') });
  const [settled] = await stage.rows('select settlement_id from settlement where seller_id = $1', [first]);
  expect(logged).toEqual([{ err: expect.stringContaining('faulty'), seller_id: first, ...settled }]);
  await stage.rows('alter table payout drop constraint faulty');
  const begun = await stage.rows<{ seller_id: string }>(
    'select seller_id from payout where seller_id = any($1) order by seller_id',
    [[first, ...rest]],
  );
  expect(begun.map(({ seller_id }) => seller_id)).toEqual(rest);
});

test('documents that become overdue while a payout begins do not hold that payout', async () => {
  const { seller_id } = seller;
  const { settlement_id } = await settlement();
  const used = await providerInUse(services);
  const overdue = { required: true, entity_type: 'sole_trader', deadline: '2026-06-01T00:00:00Z' };
  const { payoutId, told } = await services.withSellerLong(seller_id, 'write', async (db) => {
    const begun = await beginAttempt(acting(services, { db, seller_id }), settlement_id, used);
    const telling = app.events(orderEvent(app, seller, 'kyc.required', seller_id, overdue));
    await eventually(waitingForLocks, (found) => found.length > 0);
    return { payoutId: begun ?? '', told: { telling } };
  });
  expect((await told.telling).map(({ status }) => status)).toEqual(['applied']);
  expect(await settlement()).toMatchObject({ status: 'processing' });
  await transfer(services, used, seller_id, payoutId);
  await stage.moveTo(new Date(services.now() + PAID_MS).toISOString());
  await stage.callBack();
  expect(await settlement()).toMatchObject({ status: 'paid' });
  const holds = await (await seller.renew()).call('GET', '/financials/holds');
  expect(holds.text).toContain('kyc_required');
});
