/** Readiness over HTTP. Source: docs/design/quality.md#readiness. */
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { applied, csv, eventually, goods } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { curate, GOLDEN, listed } from '../../../../test/support/quality.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();

interface Listed {
  readonly product_id: string;
  readonly ready: boolean;
  readonly score: number;
  readonly codes: readonly string[];
}
interface Flip {
  readonly type: string;
  readonly data: { readonly object: { products: number; run_id: string | null; product: Listed | null } };
}
type Body = Readonly<Record<string, unknown>>;
const read = async <T = Body>(seller: TestSeller, path: string) =>
  (await seller.call<T>('GET', `/quality/${path}`)).body;
const list = async (seller: TestSeller, query = '') =>
  (await read<{ data: Listed[] }>(seller, `products?limit=200${query}`)).data;
const flips = async (seller: TestSeller) =>
  (await seller.call<{ data: Flip[] }>('GET', '/webhooks/events?types=quality.*&limit=100')).body.data;
/** Once every event of the seller was followed. */
const followed = ({ seller_id }: TestSeller) =>
  eventually(
    () =>
      asOwner(
        app,
        `select from quality_progress q
           join v_platform_event_sequence n using (seller_id)
          where q.seller_id = $1 and q.filled_to is null and q.sequence >= n.last
            and not exists (select from outbox o where o.seller_id = $1 and o.sequence is null)`,
        [seller_id],
      ),
    isKnown(1),
  );
const isKnown = (count: number) => (rows: readonly unknown[]) => rows.length === count;

test('the golden product is ready, with its best fix first', async () => {
  const seller = await app.seller();
  const product_id = await listed(app, seller);
  const { findings, ...body } = await read<{ findings: Body[] } & Body>(seller, `products/${product_id}`);
  expect(body).toMatchObject({
    ...{ ready: true, score: 60, applicable_weight: 75, passed_weight: 45, rule_set: 'readiness-2026-1' },
    ...{ source_contract: 'quality.product.v1', cache_status: 'live', semantic_status: 'complete' },
  });
  expect(findings[0]).toMatchObject({ code: 'description_short', level: 'advisory', gain_points: 20 });
  expect(findings[1]).toMatchObject({ code: 'images_few', gain_points: 13, field: '$.images' });
  const longer = GOLDEN.description.repeat(2);
  await seller.call('PATCH', `/products/${product_id}`, { json: { description: longer } });
  expect(await read(seller, `products/${product_id}`)).toMatchObject({ score: 80, ready: true });
});

test('what the marketplace says of a product is in the finding', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, GOLDEN);
  const first = async () =>
    (await read<{ findings: { code: string; message: string }[] }>(seller, `products/${product_id}`))
      .findings[0];
  expect(await first()).toMatchObject({ code: 'under_review' });
  const reasons = [{ code: 'image_quality', detail: 'The image is blurred.' }];
  await curate(app, seller, product_id, { decision: 'rejected', reviewed_version: 1, reasons });
  expect(await first()).toMatchObject({
    code: 'curation_rejected',
    message: 'The marketplace has rejected the product: The image is blurred.',
  });
});

test('404 for a product of another seller, an unknown and an archived one', async () => {
  const [seller, stranger] = [await app.seller(), await app.seller()];
  const product_id = await listed(app, seller);
  expect(await stranger.call('GET', `/quality/products/${product_id}`)).toMatchObject({ status: 404 });
  expect(await seller.call('GET', '/quality/products/prd_unknown')).toMatchObject({ status: 404 });
  await eventually(() => list(seller), isKnown(1));
  await seller.call('DELETE', `/products/${product_id}`);
  expect(await seller.call('GET', `/quality/products/${product_id}`)).toMatchObject({ status: 404 });
  expect(await eventually(() => list(seller), isKnown(0))).toEqual([]);
  expect(await read(seller, 'summary')).toMatchObject({ products: 0, ready: 0, score_mean: null });
  expect(await list(stranger)).toEqual([]);
});

test('before the first pass nothing is computed, and nothing is zero', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, GOLDEN);
  const seen = new Set<unknown>();
  const body = await eventually(
    async () => {
      const found = await read(seller, 'summary');
      seen.add(found['semantic_status']);
      if (found['semantic_status'] === 'not_computed')
        expect(found).toMatchObject({
          products: null,
          ready: null,
          retry_after_seconds: 15,
          cache_status: 'none',
        });
      return found;
    },
    ({ products }) => products === 1,
  );
  expect(body).toMatchObject({ ready: 0, semantic_status: 'complete', cache_status: 'fresh' });
  expect([...seen]).toContain('complete');
  expect((await list(seller))[0]).toMatchObject({ product_id, ready: false });
});

test('while the worker is behind by more than a minute, lists and summary are stale and keep their figures', async () => {
  const seller = await app.seller();
  const product_id = await listed(app, seller);
  await eventually(() => list(seller, '&ready=true'), isKnown(1));
  const frames = async () =>
    (await Promise.all(['summary', 'products'].map((path) => read(seller, path)))).map(
      ({ cache_status, semantic_status, missing_components }) => [
        ...[cache_status, semantic_status],
        ...(missing_components as string[]),
      ],
    );
  const fresh = ['fresh', 'complete'];
  const stale = ['stale', 'partial', 'recent_days'];
  await runOn(app.database.adminUrl, async (client) => {
    // The worker leaves a seller to another worker that has taken its row.
    await client.query('begin');
    await client.query('select from quality_progress where seller_id = $1 for update', [seller.seller_id]);
    await seller.call('PATCH', `/products/${product_id}`, { json: { status: 'inactive' } });
    expect(await frames()).toEqual([fresh, fresh]);
    await asOwner(app, "update outbox set created_at = created_at - interval '61 s' where seller_id = $1", [
      seller.seller_id,
    ]);
    await eventually(frames, ([found]) => found?.[0] === 'stale');
    expect(await frames()).toEqual([stale, stale]);
    expect(await read(seller, 'summary')).toMatchObject({ products: 1, ready: 1 });
    await client.query('rollback');
  });
  await eventually(frames, ([found]) => found?.[0] === 'fresh');
  expect(await read(seller, 'summary')).toMatchObject({ products: 1, ready: 0 });
});

test('while no worker numbers events, they are stale after a minute too', async () => {
  const seller = await app.seller();
  const product_id = await listed(app, seller);
  await eventually(() => list(seller, '&ready=true'), isKnown(1));
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query("select pg_advisory_xact_lock(hashtextextended('outbox-sequencer', 0))");
    await seller.call('PATCH', `/products/${product_id}`, { json: { status: 'inactive' } });
    expect(await read(seller, 'summary')).toMatchObject({ cache_status: 'fresh' });
    await asOwner(app, "update outbox set created_at = created_at - interval '61 s' where seller_id = $1", [
      seller.seller_id,
    ]);
    expect(await read(seller, 'summary')).toMatchObject({ cache_status: 'stale', ready: 1 });
    await client.query('rollback');
  });
  await eventually(
    () => read(seller, 'summary'),
    ({ cache_status, ready }) => cache_status === 'fresh' && ready === 0,
  );
});

test('what fails for some sellers leaves the others, and is tried again', async () => {
  const sellers = [await app.seller(), await app.seller(), await app.seller(), await app.seller()] as const;
  for (const seller of sellers)
    await eventually(
      () => read(seller, 'summary'),
      ({ products }) => products === 0,
    );
  const [first, healthy, ...others] = sellers;
  const broken = [first, ...others].map(({ seller_id }) => seller_id);
  const [kept] = await asOwner<{ sums: object }>(
    app,
    'select sums from quality_progress where seller_id = $1',
    [first.seller_id],
  );
  const setSums = (sums: unknown) =>
    asOwner(app, 'update quality_progress set sums = $2 where seller_id = any($1)', [broken, sums]);
  await setSums({});
  for (const seller of [first, ...others, healthy]) await create(seller, GOLDEN);
  await eventually(() => list(healthy), isKnown(1));
  expect(await list(first)).toEqual([]);
  await setSums(kept?.sums);
  await Promise.all([first, ...others].map((seller) => eventually(() => list(seller), isKnown(1), 60_000)));
});

describe('a list', () => {
  test('is ordered by score, filtered by code, score and readiness, and agrees with the summary', async () => {
    const seller = await app.seller({ plan: 'Big' });
    const longer = GOLDEN.description.repeat(2);
    const best = await listed(app, seller, { description: longer, seller_sku: 'BEST' });
    const middle = await listed(app, seller, { seller_sku: 'MIDDLE' });
    const { product_id: worst } = await create(seller, { seller_sku: 'WORST', title: 'Mug' });
    const rows = await eventually(
      () => list(seller),
      (found) => found.filter(({ ready }) => ready).length === 2 && found.length === 3,
    );
    expect(rows.map(({ product_id, score }) => [product_id, score])).toEqual([
      [worst, 7],
      [middle, 60],
      [best, 80],
    ]);
    const ids = async (query: string) => (await list(seller, query)).map(({ product_id }) => product_id);
    expect(await ids('&sort=-score')).toEqual([best, middle, worst]);
    expect(await ids('&ready=false')).toEqual([worst]);
    expect(await ids('&ready=true&score_below=80')).toEqual([middle]);
    expect(await ids('&code=description_short')).toEqual([worst, middle]);
    expect(await ids('&code=under_review&sort=-score')).toEqual([worst]);
    expect(await ids('&code=price_missing')).toEqual([]);
    const pages: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await read<{ data: Listed[]; page: { next_cursor: string | null } }>(
        seller,
        `products?limit=1${cursor}`,
      );
      pages.push(...page.data.map(({ product_id }) => product_id));
      if (page.page.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.page.next_cursor)}`;
    }
    expect(pages).toEqual([worst, middle, best]);
    const summary = await read<{ score_tens: number[]; top_fixes: Body[] } & Body>(seller, 'summary');
    expect(summary).toMatchObject({ products: 3, ready: 2, score_mean: 49 });
    expect(summary.score_tens).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 1, 0]);
    for (const { code, products } of summary.top_fixes)
      expect([code, (await ids(`&code=${String(code)}`)).length]).toEqual([code, products]);
  });

  test('422 names a filter that is wrong', async () => {
    const seller = await app.seller();
    for (const query of ['code=unknown', 'score_below=0', 'ready=perhaps', 'sort=price'])
      expect((await seller.call('GET', `/quality/products?${query}`)).status, query).toBe(422);
  });
});

test('a product that flips is told once, and once again when it is back', async () => {
  const seller = await app.seller();
  const product_id = await listed(app, seller);
  await eventually(() => list(seller, '&ready=true'), isKnown(1));
  const set = (status: string) => seller.call('PATCH', `/products/${product_id}`, { json: { status } });
  await set('inactive');
  await eventually(() => list(seller, '&ready=false&code=not_active'), isKnown(1));
  await set('active');
  await eventually(() => list(seller, '&ready=true'), isKnown(1));
  const told = (
    await eventually(
      () => flips(seller),
      (rows) => rows.length >= 2,
    )
  ).slice(-2);
  expect(told.map(({ type, data: { object } }) => [type, object.products, object.run_id])).toEqual([
    ['quality.listing_blocked', 1, null],
    ['quality.listing_ready', 1, null],
  ]);
  expect(told[0]?.data.object.product).toMatchObject({ product_id, ready: false });
});

test('a price that is taken away blocks the product', async () => {
  const seller = await app.seller();
  const product_id = await listed(app, seller);
  await eventually(() => list(seller, '&ready=true'), isKnown(1));
  const taken = await seller.call('PATCH', `/products/${product_id}`, {
    json: { price_minor: null, status: 'inactive' },
  });
  expect(taken.status).toBe(200);
  const [row] = await eventually(() => list(seller, '&ready=false'), isKnown(1));
  expect(row?.codes).toEqual(expect.arrayContaining(['price_missing', 'not_active']));
  const told = await eventually(
    async () => (await flips(seller)).filter(({ type }) => type === 'quality.listing_blocked'),
    isKnown(1),
  );
  expect(told.map(({ data: { object } }) => object.product?.product_id)).toEqual([product_id]);
});

test('a feed run tells once what it has blocked, however large it is', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const rows = Array.from({ length: 1_200 }, (_, index) => goods(`F-${index}`, { status: 'active' }));
  await applied(seller, csv(rows));
  const products = await eventually(
    () => list(seller),
    (found) => found.length > 0,
  );
  for (const { product_id } of products.slice(0, 40))
    await curate(app, seller, product_id, { decision: 'approved', reviewed_version: 1 });
  await eventually(() => list(seller, '&ready=true'), isKnown(40));
  // A flip that is found with an earlier event is told alone, not with the run.
  await followed(seller);
  const { run_id } = await applied(seller, csv(rows.map((row) => ({ ...row, status: 'inactive' }))));
  const told = await eventually(
    async () => (await flips(seller)).filter(({ type }) => type === 'quality.listing_blocked'),
    (found) => found.length > 0,
  );
  expect(told.map(({ data }) => data.object)).toEqual([{ products: 40, run_id, product: null }]);
  expect(await list(seller, '&ready=true')).toEqual([]);
  expect(await read(seller, 'summary')).toMatchObject({ products: 1_200, ready: 0 });
  await seller.call('POST', `/products/feed-runs/${run_id}/revert`, { json: {} });
  const back = await eventually(
    async () => (await flips(seller)).filter(({ data }) => data.object.run_id !== null),
    (found) => found.length > 1,
  );
  expect(back.at(-1)).toMatchObject({ type: 'quality.listing_ready', data: { object: { products: 40 } } });
});

test('products that a revert deletes are no longer listed', async () => {
  const seller = await app.seller();
  const { run_id } = await applied(seller, csv([goods('R-1')]));
  await eventually(() => list(seller), isKnown(1));
  expect((await seller.call('POST', `/products/feed-runs/${run_id}/revert`, { json: {} })).status).toBe(201);
  await eventually(() => list(seller), isKnown(0));
  expect(await read(seller, 'summary')).toMatchObject({ products: 0 });
});

test('the rules are shown as they are applied', async () => {
  const seller = await app.seller();
  const { rule_set, rules } = await read<{ rule_set: string; rules: { level: string; weight: number }[] }>(
    seller,
    'rules',
  );
  expect([rule_set, rules.length]).toEqual(['readiness-2026-1', 18]);
  const advisory = rules.filter(({ level }) => level === 'advisory').map(({ weight }) => weight);
  expect(advisory.reduce((sum, weight) => sum + weight, 0)).toBe(90);
});

test('everything below the portal is deferred', async () => {
  const seller = await app.seller();
  for (const path of ['portal', 'portal/x', 'portal/x/y'])
    expect(await seller.call('GET', `/quality/${path}`), path).toMatchObject({
      status: 404,
      body: { code: 'module_unavailable', availability: 'deferred' },
    });
});
