/** Trends of searches over HTTP. Source: docs/design/search-insights.md. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';

// A Tuesday: the week W30 has ended on Sunday, 26 July.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-28T01:00:00Z' });

test('a trend with a week without a report says so, and is partial', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const report = async (period: string, searchers: number) => {
    const row = { query: 'blue mug', product_id, impressions: 120, clicks: 9, purchases: 1 };
    const rows = [{ ...row, searchers, market_impressions: 4_300 }];
    await apply(app, orderEvent(app, seller, 'search.observed', seller.seller_id, { period, rows }));
  };
  const frame = async (periods: number) => {
    const path = `/search-insights/trends?query=blue%20mug&periods=${periods}`;
    const { body } = await seller.call<{ semantic_status: string; missing_components: string[] }>(
      'GET',
      path,
    );
    return [body.semantic_status, body.missing_components];
  };
  await report('2026-W30', 96);
  expect(await frame(1)).toEqual(['complete', []]);
  expect(await frame(2)).toEqual(['partial', ['search_report']]);
  await report('2026-W29', 19);
  expect(await frame(2)).toEqual(['complete', []]);
  expect(await frame(3)).toEqual(['partial', ['search_report']]);
});
