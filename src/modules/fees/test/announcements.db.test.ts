/** `fee_schedule.changed`: sellers get the event for rates in their currency. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z', LOG_LEVEL: 'silent' });

const rates = (version: string, currency: string) => ({
  version,
  currency,
  effective_from: '2026-09-01',
  platform_fee_default_bps: 900,
  shipping_fee_bps: 500,
  loyalty_program_fund_bps: 100,
  seller_order_fee_minor: 25,
  dispute_fee_minor: 2_000,
});

test('a seller gets one event for each schedule in its currency, before the schedule counts', async () => {
  const sellers = [await app.seller(), await app.seller()];
  const publish = (version: string, currency: string) => {
    const seller = sellers[0] as TestSeller;
    return apply(app, orderEvent(app, seller, 'fee_schedule.published', version, rates(version, currency)));
  };
  await publish('2026-09', 'AUD');
  await publish('2026-09-yen', 'JPY');
  const tomorrow = async () => {
    const now = new Date(app.app.services.now() + 25 * 3_600_000).toISOString();
    expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } })).status).toBe(200);
  };
  const heard = async (seller: TestSeller) => {
    const { body } = await (await seller.renew()).call<{
      data: { data: { object: Record<string, unknown> } }[];
    }>('GET', '/webhooks/events?types=fee_schedule.*');
    return body.data.map(({ data }) => data.object['fee_schedule_version']);
  };
  await tomorrow();
  for (const seller of sellers) expect(await heard(seller)).toEqual(['2026-09']);
  await publish('2026-10', 'AUD');
  await tomorrow();
  await tomorrow();
  for (const seller of sellers) expect(await heard(seller)).toEqual(['2026-09', '2026-10']);
});
