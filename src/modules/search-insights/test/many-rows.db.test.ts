/** A page of a large report. Source: docs/design/search-insights.md. */
import { expect, test } from 'vitest';
import { fillReads } from '../../../../bench/lab/insight-shops.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { addWeeks, weekOf } from '../../../kernel/australia/iso-week.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { figuresOf } from '../store.ts';

const app = await startTestApp();
/** Of each of the last weeks. */
const ROWS = 2_000;
const PAGE = 51;

test('a page of searches reads its own rows, one of products its week once; and of the week before their own rows', async () => {
  const { seller_id } = await app.seller();
  await runOn(app.database.adminUrl, async (client) => {
    await fillReads(client, seller_id);
    await client.query('vacuum analyze search_row');
  });
  const period = weekOf(addDays(sydneyDate(Date.now()), -7));
  const weeks = { period, before: addWeeks(period, -1) };
  const read = (asked: Pick<Parameters<typeof figuresOf>[2], 'by' | 'order'>) =>
    app.app.services.withSeller(seller_id, 'read', (db) =>
      rowsRead(db, async (counted) => {
        const page = await figuresOf({ db: counted, seller_id }, weeks, asked, undefined, PAGE);
        const [first] = page;
        expect([page.length, first?.impressions]).toEqual([PAGE, first?.before_impressions]);
      }),
    );
  // Each row is found with its row of the week before, and with its product.
  expect(await read({ by: 'queries', order: 'impressions' })).toBeLessThanOrEqual(3 * PAGE);
  expect(await read({ by: 'queries', order: 'clicks' })).toBeLessThanOrEqual(ROWS + 2 * PAGE);
  // Two searches show each product.
  expect(await read({ by: 'products', order: 'impressions' })).toBeLessThanOrEqual(ROWS + 3 * PAGE);
});
