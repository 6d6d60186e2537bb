/** Reads that answer with an entity tag are described with it, and with 304. */
import { expect, test } from 'vitest';
import { isTagged } from '../src/platform/http/openapi/headers.ts';
import { account_flags, startTestApp } from './support/app.ts';
import { create } from './support/products.ts';

const app = await startTestApp({ LOG_LEVEL: 'silent' });

test('every read with an entity tag is described with it, and answers 304 to it', async () => {
  const seller = await app.seller({ plan: 'Big', account_flags });
  const { product_id } = await create(seller, { category: 'Home > Mugs' });
  const queries: Readonly<Record<string, string>> = {
    '/marketplace-intel/categories/report': '?category=Home',
    '/marketplace-intel/categories/trend': '?category=Home&measure=price_band',
    '/search-insights/trends': '?query=mug',
  };
  const reads = app.app.services.modules.flatMap(({ base, routes }) =>
    routes
      .filter(({ method, root, ok }) => method === 'GET' && root !== true && ok[0].schema !== undefined)
      .map((route) => ({ route, path: base + route.path })),
  );
  const tagged: string[] = [];
  const wrong: string[] = [];
  for (const { route, path } of reads) {
    const url = path.replace('{product_id}', product_id) + (queries[path] ?? '');
    if (url.includes('{')) continue;
    const { status, headers } = await seller.call('GET', url);
    const tag = headers.get('etag');
    if (status === 200 && (tag !== null) !== isTagged(route)) wrong.push(path);
    if (tag === null) continue;
    tagged.push(path);
    const again = await seller.call('GET', url, { headers: { 'if-none-match': tag } });
    if (again.status !== 304) wrong.push(`${path}: ${again.status}`);
  }
  expect(wrong).toEqual([]);
  expect(tagged).toEqual(
    expect.arrayContaining([
      '/forecasting/policy',
      '/forecasting/products/{product_id}/policy',
      '/customer-analytics/cohorts',
      '/marketplace-intel/categories/trend',
      '/search-insights/trends',
    ]),
  );
});
