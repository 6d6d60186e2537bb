/** The steps that depend on the payment provider and on the store platform. */
import { expect, test } from 'vitest';
import { acts } from '../../../../demo/payment-provider/life.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { connectStore, startStores } from '../../../../test/support/store-platform.ts';

const stage = await paymentStage();
const stores = await startStores();

const read = async (seller: TestSeller) =>
  (await (await seller.renew()).call<{ ready_for_payout: boolean; missing: string[] }>('GET', '/onboarding'))
    .body;
const statusOf = async (seller: TestSeller, key: string) => {
  const { body } = await (await seller.renew()).call<{ status: string; waiting_on: string }>(
    'GET',
    `/onboarding/steps/${key}`,
  );
  return [body.status, body.waiting_on];
};

test('where the payment provider asks for an account, payouts are ready once it can be paid', async () => {
  const fresh = await stage.app.seller();
  expect(await statusOf(fresh, 'payout_account')).toEqual(['todo', 'seller']);
  expect((await read(fresh)).ready_for_payout).toBe(false);
  const paid = await stage.paidSeller();
  expect(await statusOf(paid, 'payout_account')).toEqual(['done', 'nobody']);
  expect((await read(paid)).ready_for_payout).toBe(true);
  acts.deauthorise(stage.provider.life, paid.account);
  await stage.callBack();
  expect(await statusOf(paid, 'payout_account')).toEqual(['todo', 'marketplace']);
  const { ready_for_payout, missing } = await read(paid);
  expect([ready_for_payout, missing.includes('payout_account')]).toEqual([false, true]);
});

test('a connected store is an optional step', async () => {
  const seller = await stores.seller({ plan: 'Big' });
  expect(await statusOf(seller, 'store_connection')).toEqual(['todo', 'seller']);
  await connectStore(stores, seller);
  expect(await statusOf(seller, 'store_connection')).toEqual(['done', 'nobody']);
  expect((await read(seller)).missing).not.toContain('store_connection');
});
