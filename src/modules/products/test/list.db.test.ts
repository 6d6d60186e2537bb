import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();

interface List {
  readonly data: Body[];
  readonly page: { readonly limit: number; readonly next_cursor: string | null; readonly has_more: boolean };
}

const created: Body[] = [];
for (let n = 0; n < 23; n += 1) {
  created.push(
    await create(seller, {
      // Without digits, which the search would find too.
      seller_sku: `SKU${n}`,
      title: n % 2 === 0 ? `Blue Café mug ${n}` : `Red plate ${n}`,
      category: n % 3 === 0 ? 'Mugs' : 'Plates',
      brand: 'Harbour Clay',
      ...(n === 4 ? { status: 'inactive' } : {}),
    }),
  );
}
const newestFirst = created.map(({ product_id }) => product_id).reverse();

async function pages(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await seller.call<List>('GET', `/products?${query}${cursor}`);
    expect(answer.status).toBe(200);
    ids.push(...answer.body.data.map(({ product_id }) => product_id));
    const { next_cursor, has_more } = answer.body.page;
    expect(has_more).toBe(next_cursor !== null);
    if (next_cursor === null) return ids;
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
}
const first = async (query: string): Promise<string[]> =>
  (await seller.call<List>('GET', `/products?${query}`)).body.data.map(({ product_id }) => product_id);

test('pages of any size have every product once, newest first', async () => {
  for (const limit of [1, 5, 23, 24, 200]) expect(await pages(`limit=${limit}`)).toEqual(newestFirst);
});

test('each filter returns matching products, over pages too', async () => {
  const some = (keep: (product: Body, n: number) => boolean) =>
    created
      .filter(keep)
      .map(({ product_id }) => product_id)
      .reverse();
  expect(await pages('limit=3&category=Mugs')).toEqual(some((_p, n) => n % 3 === 0));
  expect(await first('status=inactive')).toEqual(some((_p, n) => n === 4));
  expect(await pages('limit=4&curation=pending')).toEqual(some((_p, n) => n !== 4));
  expect(await first(`sku=${created[7]?.['seller_sku']}`)).toEqual([created[7]?.product_id]);
  expect(await pages('limit=2&q=CAFE%20blue')).toEqual(some((_p, n) => n % 2 === 0));
  expect(await first('q=plate%20%25')).toEqual([]);
  expect(await first('q=harbour%20plate%2011')).toEqual(some((_p, n) => n === 11));
});

test('updated_since returns changed products, last change first, including archived ones', async () => {
  const since = new Date(app.app.services.now() + 1).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const changed = [created[3], created[9], created[1]].map((product) => String(product?.product_id));
  for (const id of changed) {
    await seller.call('PATCH', `/products/${id}`, { json: { price_minor: 999 } });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await seller.call('DELETE', `/products/${changed[1]}`);
  const expected = [changed[1], changed[2], changed[0]];
  expect(await first(`updated_since=${since}`)).toEqual(expected);
  expect(await pages(`limit=1&updated_since=${since}`)).toEqual(expected);
  await seller.call('PATCH', `/products/${changed[1]}`, { json: { status: 'active' } });
});

test('products created between two pages do not shift them', async () => {
  const page = await seller.call<List>('GET', '/products?limit=5');
  await create(seller);
  const next = await seller.call<List>('GET', `/products?limit=5&cursor=${page.body.page.next_cursor}`);
  expect(next.body.data.map(({ product_id }) => product_id)).toEqual(newestFirst.slice(5, 10));
});

test('422 for a changed cursor, and for a cursor of other filters, another list or another seller', async () => {
  const { body } = await seller.call<List>('GET', '/products?limit=2');
  const cursor = body.page.next_cursor ?? '';
  const changed = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'B' : 'A'}A`;
  for (const [who, path] of [
    [seller, `/products?cursor=${changed}`],
    [seller, `/products?cursor=${cursor}&status=active`],
    [seller, `/products/inventory?cursor=${cursor}`],
    [seller, '/products?cursor=!'],
    [other, `/products?cursor=${cursor}`],
  ] as const) {
    const answer = await who.call('GET', path);
    expect(answer.status, path).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }] });
  }
});

test.each([
  ['limit=0'],
  ['limit=201'],
  ['limit=x'],
  ['status=sold'],
  ['updated_since=yesterday'],
  ['unknown=1'],
])('422 for ?%s', async (query) => {
  expect((await seller.call('GET', `/products?${query}`)).status).toBe(422);
});

test.each([
  ['q=%00'],
  ['sku=%00'],
  ['category=%F0%9F%98%80'],
  ['q=%27%3B%20drop'],
  ['updated_since=9999-12-31T23:59:59Z'],
])('hostile ?%s finds nothing', async (query) => {
  const answer = await seller.call<List>('GET', `/products?${query}`);
  expect([200, 422]).toContain(answer.status);
  if (answer.status === 200) expect(answer.body.data).toEqual([]);
});

test('another seller sees none of the products', async () => {
  expect((await other.call<List>('GET', '/products')).body.data).toEqual([]);
  expect((await other.call<List>('GET', '/products/inventory')).body.data).toEqual([]);
});
