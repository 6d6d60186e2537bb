/** Trends of searches and empty reports over HTTP. Source: docs/design/search-insights.md. */
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

test('a report without rows says nothing: its week is as one without a report, and no rule has held it back', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const row = { query: 'blue mug', product_id, impressions: 120, clicks: 9, purchases: 1 };
  const tell = (period: string, rows: readonly object[], time: string) =>
    apply(app, orderEvent(app, seller, 'search.observed', seller.seller_id, { period, rows }, { time }));
  const read = async (path: string) =>
    (await seller.call<{ data: object[] }>('GET', `/search-insights/${path}`)).body;
  await tell('2026-W30', [], '2026-07-27T01:00:00Z');
  await tell('2026-W28', [], '2026-07-27T01:00:00Z');
  const none = { received_at: null, rows: null, withheld_rows: null, other: null };
  expect((await read('reports?from=2026-W28')).data).toEqual([
    { period: '2026-W30', state: 'pending', ...none },
    { period: '2026-W29', state: 'pending', ...none },
    { period: '2026-W28', state: 'not_generated', ...none },
  ]);
  const unknown = { semantic_status: 'no_usable_report', missing_components: ['search_report'] };
  expect(await read('queries')).toMatchObject({ data: [], status_reason: 'report_pending', ...unknown });
  expect(await read('products?period=2026-W28')).toMatchObject({
    ...{ data: [], status_reason: 'report_not_generated', ...unknown },
  });
  expect(await read('trends?query=blue%20mug&periods=3')).toMatchObject(unknown);
  await tell('2026-W30', [row], '2026-07-27T02:00:00Z');
  expect(await read('queries')).toMatchObject({ period: '2026-W30', state: 'available', data: [row] });
  // A report is replaced whole, also by one without rows.
  await tell('2026-W30', [], '2026-07-27T03:00:00Z');
  expect(await read('queries')).toMatchObject({ data: [], state: 'pending', ...unknown });
});
