/** A store that changes its currency, and changes it back. */
import { expect, test } from 'vitest';
import { afterJobs } from '../../../../test/support/jobs.ts';
import { readChannel, startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  createBody,
  firstVariant,
  issuesOf,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });

test('prices that were not taken in another currency are taken once it is the seller’s again', async () => {
  const { seller, shop, channel_id, stock, send, update } = await shopOf(stores);
  /** The store changes its currency, and sends something that makes the service ask for it. */
  const turnTo = async (currency: string) => {
    shop.currency = currency;
    shop.addLocation(currency);
    await afterJobs(
      seller,
      () => readChannel(seller, channel_id),
      (channel) => channel.shop.currency === currency,
    );
  };
  const pricesOf = async () =>
    (await productsOf(seller)).map(({ price_minor, status }) => [price_minor, status]);
  const made = (sku: string) =>
    stock({ title: sku, variants: [{ sku, barcode: barcode(), price: '10.00' }] });

  const known = made('KNOWN');
  await send('products/create', createBody(known), 0);
  await turnTo('USD');
  expect(await update(known, firstVariant(known, { price: '7.00' }), 10)).toMatchObject({
    status: 'needs_action',
    changes: [],
  });
  await send('products/create', createBody(made('NEW')), 0);
  expect(await pricesOf()).toEqual([
    [1_000, 'active'],
    [null, 'draft'],
  ]);
  expect(await issuesOf(seller)).toMatchObject([{ facts: { code: 'currency_mismatch' }, times: 2 }]);

  await turnTo('AUD');
  expect(
    await afterJobs(seller, pricesOf, (all) => all.every(([price], index) => price === [700, 1_000][index])),
  ).toEqual([
    [700, 'active'],
    [1_000, 'active'],
  ]);
  expect((await issuesOf(seller)).filter(({ kind }) => kind === 'not_applied')).toEqual([]);
});
