/** Statements of the list over all products of a seller, of which there may be 500,000. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Statement } from '../../../kernel/context.ts';
import { type ListFilters, listForecasts, UNKNOWN } from '../store.ts';

const app = await startTestApp({ LOG_LEVEL: 'silent' });
const PRODUCTS = 20_000;
const RARE = 60;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}
const nodes = (one: Plan): Plan[] => [one, ...(one.Plans ?? []).flatMap(nodes)];

/** The lists, and the index that the first page of each reads. */
const LISTS: readonly (readonly [ListFilters, string])[] = [
  [{}, 'forecast_product_stockout'],
  [{ sort: '-expected_units' }, 'forecast_product_expected'],
  [{ sku: 'SKU-77' }, 'forecast_product_sku'],
  [{ status: 'insufficient_history' }, 'forecast_product_stockout'],
  [{ status: 'insufficient_history', sort: '-expected_units' }, 'forecast_product_expected'],
  [{ status: 'forecast' }, 'forecast_product_stockout'],
  [{ status: 'forecast', sort: '-expected_units' }, 'forecast_product_expected'],
  [{ category: 'Rare' }, 'forecast_product_category'],
  [{ category: 'Rare', sort: '-expected_units' }, 'forecast_product_category_expected'],
  [{ reorder_due: true }, 'forecast_product_due'],
  [{ reorder_due: true, sort: '-expected_units' }, 'forecast_product_due_expected'],
  [{ reorder_due: false }, 'forecast_product_due'],
  [{ reorder_due: false, sort: '-expected_units' }, 'forecast_product_due_expected'],
];

test('each list reads its page by an index, also when few of many rows are in it', {
  timeout: 300_000,
}, async () => {
  const { seller_id } = await app.seller({ plan: 'Big' });
  const asked: Statement<unknown>[] = [];
  const refuse = () => Promise.reject(new Error('not asked'));
  const db = {
    ...{ one: refuse, run: refuse, later: () => expect.fail('not asked') },
    all: async <Row>(statement: Statement<Row>) => {
      asked.push(statement);
      return [];
    },
  };
  for (const [filters] of LISTS) {
    const isDescending = filters.sort !== undefined;
    await listForecasts({ db, seller_id }, filters, undefined, 50);
    // Within the rare rows, which are the last ones in both orders.
    const after = isDescending ? [2, 'prd_99999999'] : ['2027-01-01', ''];
    await listForecasts({ db, seller_id }, filters, after, 50);
  }
  await runOn(app.database.adminUrl, async (client) => {
    await client.query(
      `insert into forecast_product (seller_id, product_id, seller_sku, category, status, reorder_due, stockout_on,
              expected_units, shown, through_on)
       select $1, 'prd_' || lpad(n::text, 8, '0'), 'SKU-' || n, case when n % 300 = 0 then 'Rare' else 'Home' end,
              case when n > $2 - $3 then 'insufficient_history' else 'forecast' end,
              case when n > $2 - $3 then null when n > $2 - 2 * $3 then true when n > $2 - 3 * $3 then false end,
              case when n > $2 - $3 then $4::date else '2026-11-01'::date + n / 100 end,
              case when n > $2 - $3 then $5 else ($2 - n) / 60.0 end, '{}', '2026-10-27'
         from generate_series(1, $2::int) n`,
      [seller_id, PRODUCTS, RARE, UNKNOWN.stockout_on, UNKNOWN.expected_units],
    );
    await client.query('analyze forecast_product');
    for (const [place, { text, values }] of asked.entries()) {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        [...values],
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      if (plan === undefined) throw new Error('no plan');
      const [filters, index] = LISTS[Math.floor(place / 2)] ?? [];
      // Whether the product of a row is archived is looked up for each row.
      const used = nodes(plan)
        .flatMap((one) => one['Index Name'] ?? [])
        .filter((name) => name !== 'product_archived');
      // A later page may be the last of another index, too.
      if (place % 2 === 0) expect(used.join(), JSON.stringify(filters)).toBe(index);
      const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect(blocks, `${JSON.stringify(filters)} ${place % 2}`).toBeLessThan(250);
    }
  });
});
