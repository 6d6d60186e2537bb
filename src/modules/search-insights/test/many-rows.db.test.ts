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

test('a page of searches reads its week once, and of the week before its own rows', async () => {
  const { seller_id } = await app.seller();
  await runOn(app.database.adminUrl, async (client) => {
    await fillReads(client, seller_id);
    await client.query('analyze');
  });
  const period = weekOf(addDays(sydneyDate(Date.now()), -7));
  const weeks = { period, before: addWeeks(period, -1) };
  const asked = { by: 'queries', order: 'impressions' } as const;
  const read = await app.app.services.withSeller(seller_id, 'read', (db) =>
    rowsRead(db, async (counted) => {
      const page = await figuresOf({ db: counted, seller_id }, weeks, asked, undefined, PAGE);
      const impressions = 50 + ROWS;
      expect([page.length, page[0]]).toMatchObject([PAGE, { impressions, before_impressions: impressions }]);
    }),
  );
  expect(read).toBeLessThanOrEqual(ROWS + 2 * PAGE);
});
