/** Search reports over HTTP: what of them can be read. Source: docs/design/search-insights.md. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { moveTo, tell } from '../../../../test/support/conversations.ts';
import { apply, eventTypesOf, orderEvent } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import type { ObservedRow } from '../domain/report.ts';

// A Tuesday: the week W30 has ended on Sunday, 26 July.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-28T01:00:00Z' });

interface Row {
  readonly query?: string;
  readonly product_id: string;
  readonly ctr_bps: number | null;
  readonly [figure: string]: unknown;
}
interface Listed {
  readonly data: Row[];
  readonly page: { readonly next_cursor: string | null };
  readonly [field: string]: unknown;
}
const read = async (seller: TestSeller, path: string): Promise<Listed> => {
  const { status, body, text } = await seller.call<Listed>('GET', `/search-insights/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body;
};
const observed = (seller: TestSeller, rows: readonly object[], more: object = {}, period = '2026-W30') =>
  orderEvent(app, seller, 'search.observed', seller.seller_id, { period, rows }, more);
const rowOf = (product_id: string, more: Partial<ObservedRow> = {}) => ({
  ...{ query: 'blue mug', product_id, impressions: 120, clicks: 9, purchases: 1 },
  ...{ searchers: 96, market_impressions: 4_300 },
  ...more,
});
async function shop() {
  const seller = await app.seller();
  const { product_id, seller_sku } = await create(seller);
  return { seller, product_id, seller_sku };
}
const refused = async (seller: TestSeller, path: string) => {
  const { status, body } = await seller.call<{ detail: { type: string; loc: string[] }[] }>(
    'GET',
    `/search-insights/${path}`,
  );
  return [status, body.detail[0]?.type, body.detail[0]?.loc.join('.')];
};

test('the golden row: rates below their least numbers are null', async () => {
  const { seller, product_id, seller_sku } = await shop();
  await apply(app, observed(seller, [rowOf(product_id)]));
  const counts = { impressions: 120, clicks: 9, purchases: 1 };
  const rates = { ctr_bps: 750, conversion_bps: null, impression_share_bps: 279, ctr_change_bps: null };
  const figures = { product_id, seller_sku, ...counts, ...rates };
  const frame = {
    ...{ period: '2026-W30', state: 'available', semantic_status: 'complete', missing_components: [] },
    ...{ facts_through_on: '2026-07-26', cache_status: 'live', status_reason: null },
  };
  expect(await read(seller, 'queries')).toMatchObject({
    data: [{ query: 'blue mug', ...figures }],
    ...frame,
    source_contract: 'search-insights.queries.v1',
  });
  expect(await read(seller, 'products')).toMatchObject({ data: [figures], ...frame });
  const none = { received_at: null, rows: null, withheld_rows: null, other: null };
  expect((await read(seller, 'reports?from=2026-W28')).data).toEqual([
    {
      ...{ period: '2026-W30', state: 'available', received_at: '2026-07-28T01:00:00.000Z', rows: 1 },
      ...{ withheld_rows: 0, other: { impressions: 0, clicks: 0, purchases: 0 } },
    },
    { period: '2026-W29', state: 'pending', ...none },
    { period: '2026-W28', state: 'not_generated', ...none },
  ]);
});

test('without a report nothing is known: no list has a zero', async () => {
  const { seller } = await shop();
  const unknown = { semantic_status: 'no_usable_report', missing_components: ['search_report'] };
  for (const path of ['queries', 'products'])
    expect(await read(seller, path)).toMatchObject({
      ...{ data: [], period: '2026-W30', state: 'pending', facts_through_on: null },
      ...{ ...unknown, status_reason: 'report_pending' },
    });
  expect(await read(seller, 'queries?period=2026-W28')).toMatchObject({
    ...{ data: [], state: 'not_generated', ...unknown, status_reason: 'report_not_generated' },
  });
  const trend = await read(seller, 'trends?query=mug&periods=2');
  const empty = { impressions: null, clicks: null, purchases: null, ctr_bps: null };
  expect(trend).toMatchObject({
    ...unknown,
    data: [
      { period: '2026-W29', state: 'pending', ...empty },
      { period: '2026-W30', state: 'pending', ...empty },
    ],
  });
  const reports = await read(seller, 'reports');
  expect(reports.data).toHaveLength(26);
  expect((await read(seller, 'reports?limit=1&to=2026-W29')).data).toMatchObject([{ period: '2026-W29' }]);
});

test('rows of fewer than 20 searchers are summed in other; with no other rows the week is below_threshold', async () => {
  const { seller, product_id } = await shop();
  const few = [
    rowOf(product_id, { query: 'mug of aunt edna', searchers: 19, impressions: 30, clicks: 2, purchases: 1 }),
    rowOf(product_id, { query: 'rare mug', searchers: 1, impressions: 10, clicks: 1, purchases: 0 }),
  ];
  await apply(app, observed(seller, few));
  const other = { impressions: 40, clicks: 3, purchases: 1 };
  const [report] = (await read(seller, 'reports')).data;
  expect(report).toMatchObject({ state: 'below_threshold', rows: 0, other });
  expect(await read(seller, 'queries')).toMatchObject({
    ...{ data: [], state: 'below_threshold', semantic_status: 'below_threshold' },
    ...{ status_reason: 'below_disclosure_threshold', missing_components: [] },
  });
  expect(await read(seller, 'trends?query=rare%20mug&periods=1')).toMatchObject({
    semantic_status: 'below_threshold',
    data: [{ state: 'below_threshold', impressions: null }],
  });
  // With 20 it is shown. Without a number the marketplace has a threshold of its own.
  const told = [rowOf(product_id, { searchers: 20 }), rowOf(product_id, { query: 'cup', searchers: null })];
  await apply(app, observed(seller, [...few, ...told]));
  expect((await read(seller, 'queries')).data.map(({ query }) => query)).toEqual(['blue mug', 'cup']);
  expect((await read(seller, 'reports')).data[0]).toMatchObject({ state: 'available', rows: 2, other });
});

test('a later version replaces the week whole, an older one is stale; both end alike in any order', async () => {
  const { seller, product_id } = await shop();
  const version = (number: number, query: string) =>
    observed(seller, [rowOf(product_id, { query })], { objectversion: number });
  expect(await tell(app, version(2, 'second'), version(1, 'first'))).toEqual(['applied', 'stale']);
  const queries = async () => (await read(seller, 'queries')).data.map(({ query }) => query);
  expect(await queries()).toEqual(['second']);
  expect(await tell(app, version(3, 'third'))).toEqual(['applied']);
  expect(await queries()).toEqual(['third']);
  // By time, if the marketplace does not count.
  const at = (time: string, query: string) => observed(seller, [rowOf(product_id, { query })], { time });
  const later = new Date(app.app.services.now() + 60_000).toISOString();
  expect(await tell(app, at(later, 'fourth'), at('2026-07-27T00:00:00Z', 'late'))).toEqual([
    'applied',
    'stale',
  ]);
  expect(await queries()).toEqual(['fourth']);
  // The event is sent when the week becomes available, not for each version.
  expect(await eventTypesOf(app, seller, '2026-W30')).toEqual(['search.report_available']);
  await apply(app, observed(seller, [], { objectversion: 9, time: later }));
  expect(await read(seller, 'queries')).toMatchObject({ data: [], state: 'pending' });
});

test('a search that names somebody is nowhere: not in answers, tables, events or logs', async () => {
  const { seller, product_id } = await shop();
  const secrets = ['edna.horrid@example.com mug', '0412 990 881', '12 horrid street sydney 2000'];
  const rows = [rowOf(product_id), ...secrets.map((query) => rowOf(product_id, { query }))];
  await apply(app, observed(seller, rows));
  expect((await read(seller, 'queries')).data).toHaveLength(1);
  expect((await read(seller, 'reports')).data[0]).toMatchObject({
    ...{ rows: 1, withheld_rows: 3, other: { impressions: 0, clicks: 0, purchases: 0 } },
  });
  const tables = await asOwner<{ name: string }>(
    app,
    "select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace",
  );
  const each = tables.map(({ name }) => `select to_jsonb(t)::text as row from "${name}" t`);
  expect(JSON.stringify(await asOwner(app, each.join(' union all ')))).not.toMatch(/horrid|0412 ?990/);
});

test('2,001 rows or the product of another seller: the report is rejected whole', async () => {
  const { seller, product_id } = await shop();
  const other = await shop();
  const many = Array.from({ length: 2_001 }, (_, index) => rowOf(product_id, { query: `mug ${index}` }));
  expect(await tell(app, observed(seller, many))).toEqual(['report_too_large']);
  const foreign = [rowOf(product_id), rowOf(other.product_id)];
  expect(await tell(app, observed(seller, foreign))).toEqual(['product_not_found']);
  const wrong = [
    observed(seller, [rowOf(product_id, { query: '  ' })]),
    observed(seller, [rowOf(product_id, { impressions: -1 })]),
    observed(seller, [], {}, '2025-W53'),
    // They have not ended: the newest week is the default of the list.
    observed(seller, [rowOf(product_id)], {}, '2026-W31'),
    observed(seller, [rowOf(product_id)], {}, '2099-W01'),
    { ...observed(seller, []), subject: other.seller.seller_id },
  ];
  expect(await tell(app, ...wrong)).toEqual(wrong.map(() => 'data_invalid'));
  expect(await tell(app, { ...observed(seller, []), subject: 'slr_none', sellerid: 'slr_none' })).toEqual([
    'seller_not_found',
  ]);
  expect((await read(seller, 'queries')).data).toEqual([]);
  expect(await tell(app, observed(seller, many.slice(0, 2_000)))).toEqual(['applied']);
  expect((await read(seller, 'reports')).data[0]).toMatchObject({ rows: 2_000 });
  // The other seller learns nothing of it.
  expect(await read(other.seller, 'queries')).toMatchObject({ data: [], state: 'pending' });
  expect((await read(other.seller, 'trends?query=mug%201&periods=1')).data).toMatchObject([
    { impressions: null },
  ]);
});

test('searches that differ in case and blanks are one, without rows of few searchers', async () => {
  const { seller, product_id } = await shop();
  const rows = [
    rowOf(product_id, { query: 'Blue  Mug', searchers: 15 }),
    rowOf(product_id, { query: ' blue mug', searchers: 19 }),
    rowOf(product_id, { query: 'Cafe\u0301 cup', searchers: 15 }),
    rowOf(product_id, { query: 'CAFÉ CUP', searchers: 25, market_impressions: null }),
    rowOf(product_id, { query: 'café  cup', searchers: null }),
    // What a threshold of the marketplace let through shows no row of five searchers.
    rowOf(product_id, { query: 'jug', searchers: null, impressions: 60 }),
    rowOf(product_id, { query: 'JUG', searchers: 5, impressions: 1 }),
  ];
  await apply(app, observed(seller, rows));
  const body = await read(seller, 'queries');
  expect(body).toMatchObject({
    data: [
      { query: 'café cup', impressions: 240, clicks: 18, ctr_bps: 750, impression_share_bps: null },
      { query: 'jug', impressions: 60, clicks: 9 },
    ],
    ...{ semantic_status: 'partial', missing_components: ['market_volume'] },
  });
  expect((await read(seller, 'trends?query=CAFÉ%20%20cup&periods=1')).data).toMatchObject([
    { impressions: 240 },
  ]);
  expect((await read(seller, 'reports')).data[0]).toMatchObject({
    ...{ rows: 2, other: { impressions: 361, clicks: 36, purchases: 4 } },
  });
});

test('2,000 largest rows that are one search are summed whole', async () => {
  const { seller, product_id } = await shop();
  const counts = (of: number) => ({ impressions: of, clicks: of, purchases: of });
  const row = rowOf(product_id, { ...counts(100_000_000), market_impressions: 100_000_000 });
  expect(await tell(app, observed(seller, Array(2_000).fill(row)))).toEqual(['applied']);
  expect((await read(seller, 'queries')).data).toMatchObject([
    { ...counts(200_000_000_000), ctr_bps: 10_000, conversion_bps: 10_000, impression_share_bps: 10_000 },
  ]);
});

test('lists are ordered, filtered, paged and read as a file; rates change from week to week', async () => {
  const { seller, product_id } = await shop();
  const second = await create(seller);
  const week = (period: string, clicks: number) =>
    observed(
      seller,
      [
        rowOf(product_id, { clicks }),
        rowOf(product_id, { query: '=cup', impressions: 40, clicks: 30, purchases: 6 }),
        rowOf(second.product_id, { impressions: 500, clicks: 5, purchases: 0 }),
        rowOf(second.product_id, { query: 'jug', impressions: 120, clicks: 9, purchases: 2 }),
      ],
      {},
      period,
    );
  await apply(app, week('2026-W29', 6), week('2026-W30', 9));
  const walk = async (query: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { data, page } = await read(seller, `queries?limit=1${query}${cursor}`);
      found.push(...data.map((row) => [row.query, row.product_id === product_id ? 1 : 2]));
      if (page.next_cursor === null) return found;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  };
  expect(await walk('')).toEqual([
    ['blue mug', 2],
    ['blue mug', 1],
    ['jug', 2],
    ['=cup', 1],
  ]);
  expect(await walk('&sort=-clicks')).toEqual([
    ['=cup', 1],
    ['blue mug', 1],
    ['jug', 2],
    ['blue mug', 2],
  ]);
  expect(await walk('&sort=-purchases&q=MUG')).toEqual([
    ['blue mug', 1],
    ['blue mug', 2],
  ]);
  expect(await walk(`&product_id=${second.product_id}&period=2026-W29`)).toHaveLength(2);
  expect((await read(seller, 'queries?q=mug')).data[1]).toMatchObject({ ctr_bps: 750, ctr_change_bps: 250 });
  expect((await read(seller, 'queries?q=cup')).data).toMatchObject([
    { impressions: 40, ctr_bps: null, conversion_bps: 2_000, ctr_change_bps: null },
  ]);
  expect((await read(seller, 'products?sort=-clicks')).data).toMatchObject([
    { product_id, impressions: 160, clicks: 39, purchases: 7, ctr_bps: 2_438, conversion_bps: 1_795 },
    { product_id: second.product_id, impressions: 620, impression_share_bps: 721 },
  ]);
  expect((await read(seller, 'trends?query=blue%20mug&periods=2')).data).toMatchObject([
    { period: '2026-W29', impressions: 620, clicks: 11, ctr_bps: 177 },
    { period: '2026-W30', impressions: 620, clicks: 14, ctr_bps: 226 },
  ]);
  const file = await seller.call('GET', '/search-insights/queries?format=csv&q=cup');
  expect(file.headers.get('content-type')).toContain('text/csv');
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="searches-2026-07-28.csv"');
  expect(file.text.split('\r\n')).toEqual([
    'query,product_id,seller_sku,impressions,clicks,purchases,ctr_bps,conversion_bps,impression_share_bps,ctr_change_bps',
    expect.stringMatching(/^'=cup,prd_\w+,[^,]+,40,30,6,,2000,93,$/),
    '',
  ]);
});

test('a week that cannot be read is 422 at its field', async () => {
  const { seller } = await shop();
  expect(await refused(seller, 'queries?period=2026-W31')).toEqual([
    422,
    'period_not_closed',
    'query.period',
  ]);
  expect(await refused(seller, 'queries?period=2025-W53')).toEqual([422, 'format_invalid', 'query.period']);
  expect((await refused(seller, 'queries?period=July'))[0]).toBe(422);
  expect(await refused(seller, 'reports?from=2020-W01')).toEqual([422, 'date_too_old', 'query.from']);
  expect(await refused(seller, 'reports?from=2026-W30&to=2026-W29')).toEqual([
    422,
    'window_empty',
    'query.from',
  ]);
  expect((await refused(seller, 'trends?query=mug&periods=27'))[0]).toBe(422);
  // The list begins where reports begin to be kept.
  expect((await read(seller, 'reports?to=2024-W30')).data).toHaveLength(6);
  expect((await refused(seller, 'queries?format=csv&cursor=x')).slice(0, 2)).toEqual([
    422,
    'extra_forbidden',
  ]);
  expect((await read(seller, 'reports?to=2999-W01')).data[0]).toMatchObject({ period: '2026-W30' });
});

/** Everything that a seller can read about its searches. */
async function allAnswers(seller: TestSeller, queries: readonly string[]): Promise<string> {
  const filters = [
    '',
    '?sort=-clicks',
    '?sort=-purchases',
    ...queries.map((q) => `?q=${encodeURIComponent(q)}`),
  ];
  const weeks = ['2026-W29', '2026-W30'];
  const paths = [
    'reports',
    ...['queries', 'products'].flatMap((list) => weeks.map((week) => `${list}?period=${week}`)),
    ...filters.map((filter) => `queries${filter}`),
    ...queries.map((query) => `trends?query=${encodeURIComponent(query)}`),
  ];
  const answers = await Promise.all(paths.map((path) => read(seller, path)));
  const file = await seller.call('GET', '/search-insights/queries?format=csv');
  return JSON.stringify([answers, file.text]).replaceAll(/"next_cursor":"[^"]*"/g, '');
}

test('what was held back changes no answer: not its text, product, searchers, nor an earlier version', async () => {
  const { seller, product_id } = await shop();
  const second = await create(seller);
  const products = [product_id, second.product_id];
  const text = fc.constantFrom('mug', 'cup', 'jug', 'rare bowl', 'odd plate', 'tiny vase');
  const counts = fc.record({ impressions: fc.nat(300), clicks: fc.nat(60), purchases: fc.nat(9) });
  const about = fc.record({ query: text, product: fc.nat(1), searchers: fc.nat(19) });
  const held = fc.array(fc.record({ counts, one: about, another: about }), { maxLength: 4 });
  const told = fc.array(fc.record({ counts, query: fc.constantFrom('blue mug', 'lamp') }), { maxLength: 3 });
  const queries = ['blue mug', 'lamp', 'mug', 'cup', 'jug', 'rare bowl', 'odd plate', 'tiny vase'];
  let version = 0;
  const send = async (period: string, rows: readonly object[]) => {
    version += 1;
    await apply(app, observed(seller, rows, { objectversion: version }, period));
  };
  await fc.assert(
    fc.asyncProperty(told, held, fc.constantFrom('2026-W29', '2026-W30'), async (shown, few, period) => {
      const rows = (which: 'one' | 'another') => [
        ...shown.map((row) => rowOf(product_id, { query: row.query, ...row.counts })),
        ...few.map((row) => {
          const { query, product, searchers } = row[which];
          return rowOf(products[product] ?? '', { query, searchers, ...row.counts });
        }),
      ];
      await send(period, rows('one'));
      const first = await allAnswers(seller, queries);
      await send(period, rows('another'));
      expect(await allAnswers(seller, queries)).toBe(first);
    }),
    { numRuns: 15 },
  );
});

// Last, because it moves the clock.
test('a report is awaited for ten days, kept for 25 months, and deleted with its rows', async () => {
  const { seller, product_id } = await shop();
  await apply(app, observed(seller, [rowOf(product_id)], {}, '2024-W26'));
  const stateOfW30 = async () =>
    (await read(await seller.renew(), 'reports?from=2026-W30&to=2026-W30')).data[0]?.['state'];
  const rows = () =>
    asOwner<{ query: string }>(app, 'select query from search_row where seller_id = $1', [seller.seller_id]);
  // Ten days after the week are over at midnight of 6 August in Sydney.
  await moveTo(app, '2026-08-05T13:59:59Z');
  expect(await stateOfW30()).toBe('pending');
  await moveTo(app, '2026-08-05T14:00:00Z');
  expect(await stateOfW30()).toBe('not_generated');
  expect(await rows()).toHaveLength(1);
  await moveTo(app, '2026-08-12T00:00:00Z');
  expect(await rows()).toEqual([]);
  const path = 'queries?period=2024-W26';
  expect(await refused(await seller.renew(), path)).toEqual([422, 'date_too_old', 'query.period']);
});
