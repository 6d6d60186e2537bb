import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });

interface Entry {
  readonly action: string;
  readonly version: number;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly run_id: string | null;
  readonly row: number | null;
  readonly request_id: string | null;
  readonly changes: { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}
interface History {
  readonly data: Entry[];
  readonly page: { readonly next_cursor: string | null };
}

const feed = (csv: string, query = '') =>
  seller.call<{ run_id: string }>('POST', `/products/feed-runs${query}`, {
    body: csv,
    headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
  });

test('changes by requests and feed rows are one list, last change first, without previews', async () => {
  const product = await create(seller);
  const id = product.product_id;
  await seller.call('PATCH', `/products/${id}`, {
    json: { price_minor: 1999 },
    headers: { 'x-request-id': 'req-of-the-patch' },
  });
  const run = await feed(`seller_sku,price\n${product['seller_sku']},18.50\n`);
  expect(run.status).toBe(201);
  await feed(`seller_sku,price\n${product['seller_sku']},1.00\n`, '?dry_run=true');
  await seller.call('PUT', `/products/${id}/inventory`, { json: { quantity: 3 } });
  await seller.call('DELETE', `/products/${id}`);
  const { body } = await seller.call<History>('GET', `/products/${id}/history`);
  expect(body.data.map(({ action, version }) => [action, version])).toEqual([
    ['archived', 4],
    ['stock_set', 3],
    ['updated', 3],
    ['updated', 2],
    ['created', 1],
  ]);
  expect(body.data[2]).toMatchObject({
    actor: { kind: 'feed' },
    run_id: run.body.run_id,
    row: 1,
    changes: [{ field: 'price_minor', before: 1999, after: 1850 }],
  });
  expect(body.data[3]).toMatchObject({
    actor: { kind: 'member', id: expect.stringMatching(/^mbr_/) },
    request_id: 'req-of-the-patch',
    run_id: null,
    changes: [{ field: 'price_minor', before: 2499, after: 1999 }],
  });
  expect(body.data[4]?.changes[0]).toEqual({ field: 'product_id', before: null, after: id });
});

test('pages of one entry have every change once', async () => {
  const { product_id: id } = await create(seller);
  for (const price_minor of [1, 2, 3])
    await seller.call('PATCH', `/products/${id}`, { json: { price_minor } });
  const whole = await seller.call<History>('GET', `/products/${id}/history`);
  const versions: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await seller.call<History>('GET', `/products/${id}/history?limit=1${cursor}`);
    versions.push(...body.data.map(({ version }) => version));
    if (body.page.next_cursor === null) break;
    cursor = `&cursor=${body.page.next_cursor}`;
  }
  expect(versions).toEqual([4, 3, 2, 1]);
  expect(whole.body.data.map(({ version }) => version)).toEqual(versions);
});
