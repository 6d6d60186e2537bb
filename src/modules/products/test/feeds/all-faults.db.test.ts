/** All faults of a row are reported at once, so that one correction is enough. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import { type FeedFailure, feed, rowsOf } from '../../../../../test/support/feeds.ts';
import { mug } from '../../../../../test/support/products.ts';

const app = await startTestApp();

test('a row with an unreadable cell also lists what its other cells lack', async () => {
  const seller = await app.seller();
  const file = [
    'seller_sku,title,price,quantity,global_id,status',
    'A,,12 dollars,-1,,',
    'B,Mug,x,1,4006381333932,',
    'C,,5.00,1,,activ',
    ',,5.00,1,,',
    'E,Mug,x,1,,draft',
  ].join('\n');
  const run = await feed<FeedFailure>(seller, file);
  expect(run.status).toBe(422);
  const rows = await rowsOf(seller, run.body.run?.run_id ?? '');
  expect(rows.map(({ messages }) => messages.map(({ code, column }) => `${code} ${column}`).sort())).toEqual([
    [
      'identity_required identity_strategy',
      'price_invalid price',
      'required_missing title',
      'stock_negative quantity',
    ],
    ['gtin_check_digit global_id', 'price_invalid price'],
    ['enum_invalid status'],
    ['identity_required identity_strategy', 'required_missing title', 'sku_required seller_sku'],
    ['price_invalid price'],
  ]);
});

test('a refused request lists invalid fields and missing fields together', async () => {
  const seller = await app.seller();
  const answer = await seller.call<{ detail: { loc: string[] }[] }>('POST', '/products', {
    json: mug({ title: undefined, identity: undefined, compare_at_minor: -5 }),
  });
  expect(answer.status).toBe(422);
  expect(answer.body.detail.map(({ loc }) => loc.join('.')).sort()).toEqual([
    'body.compare_at_minor',
    'body.identity',
    'body.title',
  ]);
});
