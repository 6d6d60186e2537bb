/** `q` finds every product whose text has all words, whether the worker has indexed it or not. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, csv, goods } from '../../../../test/support/feeds.ts';
import { type Body, create } from '../../../../test/support/products.ts';
import { integer } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import { listProducts } from '../store/list-products.ts';
import { indexNext } from '../store/search-index.ts';

// Without a worker, each test decides when products are indexed.
const app = await startTestApp({ ROLE: 'api' });
const { withSellerLong } = app.app.services;

const indexAll = async ({ seller_id }: TestSeller): Promise<void> => {
  while (await withSellerLong(seller_id, 'write', (db) => indexNext({ db, seller_id })));
};

async function search(seller: TestSeller, query: string): Promise<string[]> {
  const skus: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await seller.call<{ data: Body[]; page: { next_cursor: string | null } }>(
      'GET',
      `/products?${query}${cursor}`,
    );
    skus.push(...body.data.map((product) => String(product['seller_sku'])));
    if (body.page.next_cursor === null) return skus;
    cursor = `&cursor=${encodeURIComponent(body.page.next_cursor)}`;
  }
}

const WORDS = ['blue', 'bluebell', 'red', 'mug', 'mugs', 'café', 'x', '日本語', '😀smile', 'a1b2', 'harbour'];
const PRODUCTS = 3_000;

test('a search finds the same products as reading all texts, before, during and after indexing', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const random = (count: number): number => Math.floor(Math.random() * count);
  const titles = Array.from(
    { length: PRODUCTS },
    (_, index) => `${WORDS[random(WORDS.length)]} ${WORDS[random(WORDS.length)]} ${index}`,
  );
  await applied(seller, csv(titles.map((title, index) => ({ ...goods(`S-${index}`), title }))));
  const folded = titles.map((title, index) =>
    `s-${index} ${title} `
      .normalize('NFKD')
      .replaceAll(/\p{M}+/gu, '')
      .toLowerCase(),
  );
  const check = async (): Promise<void> => {
    for (const words of [
      ['blue'],
      ['mug', 'red'],
      ['CAFÉ', 'x'],
      ['12'],
      ['s-29'],
      ['😀'],
      ['本語'],
      ['nowhere'],
    ]) {
      const wanted = words.map((word) =>
        word
          .normalize('NFKD')
          .replaceAll(/\p{M}+/gu, '')
          .toLowerCase(),
      );
      const expected = folded
        .flatMap((text, index) => (wanted.every((word) => text.includes(word)) ? [`S-${index}`] : []))
        .reverse();
      const found = await search(seller, `limit=200&q=${encodeURIComponent(words.join(' '))}`);
      expect(found, words.join(' ')).toEqual(expected);
    }
  };
  await check();
  await withSellerLong(seller.seller_id, 'write', (db) => indexNext({ db, seller_id: seller.seller_id }));
  await check();
  await indexAll(seller);
  await check();
});

test('a product is found by its new text immediately, and no longer by its old text', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, { seller_sku: 'ONE', title: 'Blue kettle' });
  for (const isIndexed of [false, true]) {
    if (isIndexed) await indexAll(seller);
    expect(await search(seller, 'q=kettle')).toEqual(['ONE']);
  }
  await seller.call('PATCH', `/products/${product_id}`, { json: { title: 'Red teapot' } });
  for (const isIndexed of [false, true]) {
    if (isIndexed) await indexAll(seller);
    expect(await search(seller, 'q=kettle')).toEqual([]);
    expect(await search(seller, 'q=teapot')).toEqual(['ONE']);
  }
  expect(await search(seller, 'q=teapot&status=inactive')).toEqual([]);
});

test('a rare word reads one block of the catalogue, and another seller finds nothing', async () => {
  const [seller, other] = [await app.seller({ plan: 'Big' }), await app.seller()];
  await applied(seller, csv(Array.from({ length: 8_000 }, (_, index) => goods(`R-${index}`))));
  await create(seller, { seller_sku: 'RARE', title: 'One zyzzyva' });
  await indexAll(seller);
  const rowsRead = await app.app.services.withSeller(seller.seller_id, 'snapshot', async (db) => {
    const read = async () =>
      (
        await db.one(statement({ rows: integer })`
        select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as rows
          from pg_stat_xact_user_tables
         where relname = 'product'`)
      )?.rows ?? 0;
    const before = await read();
    expect(
      await listProducts({ db, seller_id: seller.seller_id }, { q: 'zyzzyva' }, undefined, 50),
    ).toHaveLength(1);
    return (await read()) - before;
  });
  expect(rowsRead).toBeLessThan(2_100);
  expect(await search(other, 'q=zyzzyva')).toEqual([]);
});
