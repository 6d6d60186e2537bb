import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type RowResult,
  type Run,
  rowsOf,
  type Sending,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Big' });

interface Page {
  readonly data: RowResult[];
  readonly page: { readonly limit: number; readonly next_cursor: string | null; readonly has_more: boolean };
}
const path = (runId: string, query = ''): string => `/products/feed-runs/${runId}/row-results${query}`;
const page = (runId: string, query = '') => seller.call<Page>('GET', path(runId, query));

const mixed = await applied(
  seller,
  csv([
    goods('A'),
    goods('B', { price: 'x', quantity: 'y' }),
    goods('C', { title: '<b>Bold</b>' }),
    goods('A'),
    goods('D', { price: 'z' }),
  ]),
);

test('row results are filtered by outcome, code, SKU and their combination', async () => {
  const numbers = async (query: string) =>
    (await page(mixed.run_id, query)).body.data.map(({ row_number }) => row_number);
  expect(await numbers('')).toEqual([1, 2, 3, 4, 5]);
  expect(await numbers('?outcome=rejected')).toEqual([2, 4, 5]);
  expect(await numbers('?outcome=created')).toEqual([1, 3]);
  expect(await numbers('?code=price_invalid')).toEqual([2, 5]);
  expect(await numbers('?code=type_invalid')).toEqual([2]);
  expect(await numbers('?code=html_not_allowed')).toEqual([3]);
  expect(await numbers('?code=price')).toEqual([]);
  expect(await numbers('?sku=A')).toEqual([1, 4]);
  expect(await numbers('?sku=A&outcome=rejected&code=sku_duplicate_in_file')).toEqual([4]);
});

test('a row result has the lines, the product and the findings of its row', async () => {
  const [row] = (await page(mixed.run_id, '?sku=B')).body.data;
  expect(row).toMatchObject({
    row_number: 2,
    line_start: 3,
    line_end: 3,
    seller_sku: 'B',
    product_id: null,
    outcome: 'rejected',
    changes: [],
    raw_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    messages: expect.arrayContaining([
      expect.objectContaining({
        code: 'price_invalid',
        severity: 'error',
        column: 'price',
        value_excerpt: 'x',
      }),
      expect.objectContaining({ code: 'type_invalid', column: 'quantity', value_excerpt: 'y' }),
    ]),
  });
});

test('a cursor belongs to its run, filter and seller', async () => {
  const run = await applied(seller, goodsFile(120, 'P'));
  const first = await page(run.run_id, '?limit=50');
  expect(first.body.page).toMatchObject({ limit: 50, has_more: true });
  expect(first.body.data.map(({ row_number }) => row_number)).toEqual(
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  const cursor = first.body.page.next_cursor ?? '';
  const last = await page(run.run_id, `?limit=200&cursor=${cursor}`);
  expect(last.body.data).toHaveLength(70);
  expect(last.body.page).toMatchObject({ has_more: false, next_cursor: null });
  const stranger = await app.seller({ plan: 'Big' });
  const theirs = await applied(stranger, goodsFile(60, 'P'));
  const tampered = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const answer of [
    await page(run.run_id, `?cursor=${tampered}`),
    await page(run.run_id, `?outcome=created&cursor=${cursor}`),
    await page(mixed.run_id, `?cursor=${cursor}`),
    await page(run.run_id, '?cursor=%00'),
    await stranger.call('GET', path(theirs.run_id, `?cursor=${cursor}`)),
  ]) {
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'validation_error', detail: [{ loc: ['query', 'cursor'] }] });
  }
});

test('422 for limits outside 1 to 200, and for unknown outcomes, formats and parameters', async () => {
  for (const query of [
    '?limit=0',
    '?limit=201',
    '?outcome=good',
    '?format=xlsx',
    '?page=2',
    '?format=csv&cursor=x',
  ])
    expect([query, (await page(mixed.run_id, query)).status]).toEqual([query, 422]);
});

test('404 for a run of another seller equals that for an unknown run', async () => {
  const stranger = await app.seller();
  const foreign = await stranger.call('GET', path(mixed.run_id));
  const none = await stranger.call('GET', path('frn_00000000000000000000000000'));
  expect([foreign.status, none.status]).toEqual([404, 404]);
  expect(Object.keys(foreign.body)).toEqual(Object.keys(none.body));
  for (const action of ['commit', 'revert', 'cancel'])
    expect((await stranger.call('POST', `/products/feed-runs/${mixed.run_id}/${action}`)).status).toBe(404);
});

const rejectedFile = async (runId: string): Promise<string> => {
  const answer = await seller.call('GET', path(runId, '?outcome=rejected&format=csv'));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return answer.text;
};

const bad = (sku: string) => goods(sku, { title: 'T "q", 日本', description: 'two\nlines', price: 'WRONG' });
test.each<[string, (prefix: string) => string, Sending, string]>([
  ['a CSV file', (p) => csv([goods(`${p}1`), bad(`${p}2`), goods(`${p}1`)]), {}, ','],
  ['a file with semicolons', (p) => csv([goods(`${p}1`), bad(`${p}2`), goods(`${p}1`)], ';'), {}, ';'],
  [
    'a TSV file',
    (p) => csv([goods(`${p}1`), bad(`${p}2`), goods(`${p}1`)], '\t'),
    { type: 'text/tab-separated-values' },
    '\t',
  ],
  [
    'a JSON file',
    (p) => JSON.stringify([goods(`${p}1`), bad(`${p}2`), goods(`${p}1`)]),
    { type: 'application/json' },
    ',',
  ],
  [
    'a JSON file whose rows have other keys',
    (p) =>
      JSON.stringify([
        { ...bad(`${p}2`), 'attributes.a': 'x' },
        goods(`${p}1`, { 'attributes.b': 'y' }),
        goods(`${p}1`),
      ]),
    { type: 'application/json' },
    ',',
  ],
  [
    'lines of JSON',
    (p) => [goods(`${p}1`), bad(`${p}2`), goods(`${p}1`)].map((row) => JSON.stringify(row)).join('\n'),
    { type: 'application/x-ndjson' },
    ',',
  ],
])(
  'rejected rows of %s come back as a file that can be corrected and sent again',
  async (what, file, sending, delimiter) => {
    const prefix = `${what.replaceAll(/\W/g, '')}-`;
    const run = await applied(seller, file(prefix), sending);
    expect(run.counts).toMatchObject({ created: 1, rejected: 2 });
    expect(run.links['rejected_rows']).toBe(
      `/api/v1/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
    );
    const text = await rejectedFile(run.run_id);
    const [header = '', ...rows] = text.split('\r\n');
    expect(header.split(delimiter).slice(0, 2)).toEqual(['_codes', '_messages']);
    expect(header.split(delimiter)).toContain('seller_sku');
    const wrong = 'price: This is not a price. Write it like 24.99, without a symbol or thousands separator.';
    const cell = wrong.includes(delimiter) ? `"${wrong}"` : wrong;
    expect(rows.some((row) => row.startsWith(`price_invalid${delimiter}${cell}${delimiter}`))).toBe(true);
    // Without corrections the rows are rejected again, except for the repeat, which is alone now.
    const same = await applied(seller, text);
    expect(same.counts).toMatchObject({ rows: 2, rejected: 1, unchanged: 1 });
    expect((await rejectedFile(same.run_id)).split('\r\n')[0]).toBe(header);
    const mended = await applied(seller, text.replace('WRONG', '9.99'));
    expect(mended.counts).toMatchObject({ rows: 2, created: 1, unchanged: 1 });
    expect((await catalogueOf(seller)).get(`${prefix}2`)).toMatchObject({
      title: 'T "q", 日本',
      description: 'two\nlines',
      price_minor: 999,
    });
  },
);

test.each([
  ['NDJSON', 'application/x-ndjson', (rows: string[]) => rows.join('\n'), '{"seller_sku": "N-3", '],
  ['JSON', 'application/json', (rows: string[]) => `[${rows.join(',')}]`, '["N-3", 7]'],
])('an invalid row of %s comes back unchanged, to be corrected', async (what, type, file, unread) => {
  const [good, bad] = [goods(`${what}-1`), goods(`${what}-2`, { price: 'WRONG' })];
  const run = await applied(seller, file([JSON.stringify(good), JSON.stringify(bad), unread]), { type });
  expect(run.counts).toMatchObject({ created: 1, rejected: 2 });
  expect(run.row_results[2]?.messages).toMatchObject([{ value_excerpt: unread }]);
  const text = await rejectedFile(run.run_id);
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  const place = lines[2] ?? '';
  expect(place.replaceAll('""', '"')).toContain(unread);
  // Unchanged it is rejected again; the seller replaces it with a product.
  const same = await applied(seller, text.replace('WRONG', '5'));
  expect(same.counts).toMatchObject({ rows: 2, created: 1, rejected: 1 });
  const [head = '', row = ''] = csv([goods(`${what}-3`)]).split('\n');
  expect(lines[0]).toBe(`_codes,_messages,${head}`);
  const mended = await applied(seller, text.replace('WRONG', '5').replace(place, `,,${row}`));
  expect(mended.counts).toMatchObject({ rows: 2, created: 1, unchanged: 1 });
});

test('all lines of a file without a readable row come back', async () => {
  const answer = await feed<FeedFailure>(seller, 'one\ntwo, three\n', { type: 'application/x-ndjson' });
  const text = await rejectedFile(answer.body.run?.run_id ?? '');
  const reason = 'json_invalid,The line is not JSON; each line must be one object.,';
  const rows = text.replaceAll(reason, '').split('\r\n');
  expect(rows).toEqual(['_codes,_messages,seller_sku', 'one', '"two, three"', '']);
});

test('fields that rows of JSON do not have are neither cleared nor required when the table is sent back', async () => {
  const full = {
    ...goods('J-1'),
    description: 'Kept',
    brand: 'Clay',
    'attributes.colour': 'Blue',
    'attributes.b': "'=x",
  };
  await applied(seller, JSON.stringify([full]), { type: 'application/json' });
  const rows = [
    { seller_sku: 'J-1', price: 'WRONG' },
    { ...goods('J-2'), description: 'New', quantity: -7 },
    goods('J-3'),
  ];
  const run = await applied(seller, JSON.stringify(rows), { type: 'application/json' });
  const text = await rejectedFile(run.run_id);
  // What changes before the table comes back stays.
  await applied(seller, csv([{ seller_sku: 'J-1', quantity: 2, description: 'Newer' }]));
  const mended = await applied(seller, text.replace('WRONG', '3').replace('-7', '7'));
  expect(mended.counts).toMatchObject({ rows: 2, created: 1, updated: 1 });
  expect(mended.row_results[0]?.changes).toEqual([{ field: 'price_minor', before: 2499, after: 300 }]);
});

test('cells that a spreadsheet would run come back guarded, and keep their meaning when sent back', async () => {
  const title = '=HYPERLINK("http://evil.example","x")';
  const run = await applied(
    seller,
    csv([goods('F-OK'), goods('F-1', { title, brand: "'+A1", price: '@SUM(1)' })]),
  );
  const text = await rejectedFile(run.run_id);
  for (const cell of text.split('\r\n')[1]?.split(',') ?? []) expect(cell).not.toMatch(/^"?[=+@-]/);
  const mended = await applied(seller, text.replace("'@SUM(1)", '1'));
  expect(mended.counts).toMatchObject({ rows: 1, created: 1 });
  expect((await catalogueOf(seller)).get('F-1')).toMatchObject({ title, brand: '+A1' });
});

test('text of another encoding comes back as UTF-8', async () => {
  const [head = '', tail = ''] = csv([goods('W-OK'), goods('W-1', { title: 'Caf?', price: 'WRONG' })]).split(
    '?',
  );
  const run = await applied(
    seller,
    Buffer.concat([Buffer.from(head), Buffer.from([0xe9]), Buffer.from(tail)]),
  );
  expect(run.source).toMatchObject({ encoding: 'windows-1252' });
  const mended = await applied(seller, (await rejectedFile(run.run_id)).replace('WRONG', '1'));
  expect(mended.counts.created).toBe(1);
  expect((await catalogueOf(seller)).get('W-1')?.title).toBe('Café');
});

test('all row results are a table; without rejected rows the file has only its header', async () => {
  const table = await seller.call('GET', path(mixed.run_id, '?format=csv'));
  const lines = table.text.trimEnd().split('\r\n');
  expect(lines[0]).toBe(
    'row_number,line_start,line_end,seller_sku,product_id,outcome,codes,messages,changed_fields',
  );
  expect(lines).toHaveLength(6);
  expect(lines[2]).toMatch(/^2,3,3,B,,rejected,/);
  const clean = await applied(seller, csv([goods('CLEAN')]));
  expect((await rejectedFile(clean.run_id)).trimEnd()).toBe(
    '_codes,_messages,seller_sku,title,price,quantity,identity_strategy,exempt_reason',
  );
});

test('the reasons of a rejected row say what is allowed and what to do', async () => {
  const run = await applied(
    seller,
    csv([goods('R-OK'), goods('R-1', { title: '', quantity: '1.5', status: 'activ' })]),
  );
  const { text } = await seller.call('GET', path(run.run_id, '?format=csv'));
  for (const file of [text, await rejectedFile(run.run_id)]) {
    expect(file).toContain('quantity: The value has the wrong type. Expected: a whole number.');
    expect(file).toContain('Expected: draft, active, inactive, archived.');
  }
});

test('tens of thousands of rejected rows are streamed', async () => {
  const file = goodsFile(20_000, 'S', () => ({ price: 'WRONG' }));
  const answer = await feed<FeedFailure>(seller, file);
  expect(answer.body).toMatchObject({ error: 'feed_rejected', run: { counts: { rejected: 20_000 } } });
  const run = answer.body.run as Run;
  const text = await rejectedFile(run.run_id);
  expect(text.trimEnd().split('\r\n')).toHaveLength(20_001);
  expect((await rowsOf(seller, run.run_id, '&sku=S-19999'))[0]?.row_number).toBe(19_999);
});

test('runs are listed newest first, filtered by status and kind, by cursor', async () => {
  const own = await app.seller({ plan: 'Big' });
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1)
    made.unshift((await applied(own, csv([goods(`L-${index}`)]))).run_id);
  await feed(own, csv([goods('BAD', { price: 'x' })]));
  await feed(own, csv([{ seller_sku: 'L-1', quantity: 3 }]), { query: 'mode=inventory' });
  const list = async (query: string) =>
    (
      await own.call<{ data: Run[]; page: { next_cursor: string | null } }>(
        'GET',
        `/products/feed-runs${query}`,
      )
    ).body;
  expect((await list('')).data).toHaveLength(7);
  expect((await list('?status=rejected')).data).toHaveLength(1);
  expect((await list('?kind=inventory')).data).toHaveLength(1);
  const first = await list('?status=succeeded&kind=products&limit=3');
  const second = await list(`?status=succeeded&kind=products&limit=3&cursor=${first.page.next_cursor}`);
  expect([...first.data, ...second.data].map(({ run_id }) => run_id)).toEqual(made);
  const foreign = await seller.call(
    'GET',
    `/products/feed-runs?status=succeeded&kind=products&cursor=${first.page.next_cursor}`,
  );
  expect(foreign.status).toBe(422);
});

test('a run has a strong entity tag that is final after its end', async () => {
  const one = await seller.call('GET', `/products/feed-runs/${mixed.run_id}`);
  const etag = one.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"/);
  const again = await seller.call('GET', `/products/feed-runs/${mixed.run_id}`, {
    headers: { 'if-none-match': etag },
  });
  expect([again.status, again.text]).toEqual([304, '']);
});
