/** A hold of settlements and a payout that begin at the same time: one of them sees the other. */
import { expect, test } from 'vitest';
import { PAID_MS } from '../../../../demo/payment-provider/life.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { acting } from '../../../platform/acting.ts';
import { providerInUse } from '../actions/providers.ts';
import { transfer } from '../actions/send-due.ts';
import { beginAttempt } from '../actions/send-payout.ts';

const stage = await paymentStage();
const { app } = stage;
const { services } = app.app;
const seller = await stage.paidSeller();
await stage.earn(seller, 23_330);
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
