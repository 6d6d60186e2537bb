/** Ratings over HTTP: what is stored of them, and their figures. Source: docs/design/reviews.md. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { tell } from '../../../../test/support/conversations.ts';
import { apply, eventTypesOf, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { sequences } from '../../../../test/support/permutations.ts';
import { create } from '../../../../test/support/products.ts';
import { rated, ratingsOf, readRating, review } from '../../../../test/support/reviews.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });
const anOrder = (seller: TestSeller, more: object = {}) => placeOrder(app, seller, [{ title: 'Mug' }], more);
const read = async (seller: TestSeller, path: string) =>
  (await seller.call<Record<string, never>>('GET', `/reviews/${path}`)).body;
/** Posts ratings with these stars on a day. */
const post = (seller: TestSeller, subject: string, stars: readonly number[], day = '2026-07-10') =>
  apply(
    app,
    ...stars.map((rating) => review(app, seller, subject, { rating, posted_at: `${day}T01:00:00Z` })),
  );
const change = (seller: TestSeller, type: 'revised' | 'removed', subject: string, data: object, more = {}) =>
  orderEvent(app, seller, `review.${type}`, subject, data, more);
const repeat = (times: number, stars: number): number[] => Array.from({ length: times }, () => stars);
const GOLDEN = [1, ...repeat(2, 3), ...repeat(5, 4), ...repeat(12, 5)];

/** Every row of every table, as text. */
async function everything(): Promise<string> {
  const tables = await asOwner<{ name: string }>(
    app,
    "select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace",
  );
  const each = tables.map(({ name }) => `select to_jsonb(t)::text as row from "${name}" t`);
  const rows = await asOwner(app, each.join(' union all '));
  return JSON.stringify(rows);
}

test('text, title, photos and names of a review are stored nowhere', async () => {
  const seller = await app.seller();
  const event = review(app, seller, await anOrder(seller), {
    text: 'Horrid-text of a review',
    title: 'Horrid-title',
    media: [{ url: 'https://photos.example/horrid-photo.jpg' }],
    name: 'Horrid-name',
    author: { name: 'Horrid-name' },
  });
  expect(await app.events(event)).toEqual([
    expect.objectContaining({ status: 'applied', warnings: ['text_not_carried', 'media_not_carried'] }),
  ]);
  expect(await ratingsOf(seller)).toHaveLength(1);
  const stored = await everything();
  expect(stored).toContain(String((event['data'] as { review_id: string }).review_id));
  expect(stored).not.toMatch(/horrid/i);
});

test('replies to shoppers are 404 module_unavailable', async () => {
  const seller = await app.seller();
  const { rating_id } = await rated(app, seller, await anOrder(seller));
  for (const path of [`ratings/${rating_id}/reply`, `ratings/${rating_id}/text`, 'replies', 'replies/1'])
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await seller.call(method, `/reviews/${path}`), path).toMatchObject({
        status: 404,
        body: {
          code: 'module_unavailable',
          availability: 'unavailable',
          detail: 'Public review text and shopper-visible replies are unsupported.',
        },
      });
  expect((await app.call('POST', '/api/v1/reviews/replies')).status).toBe(401);
});

test('a rating of a product shows no order and no buyer, one of the seller shows both', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { product_id } = await create(seller);
  const order_id = await anOrder(seller, { buyer: { alias: 'buyer_7', customer_ref: 'cus_order' } });
  const ofProduct = await rated(app, seller, product_id, { customer_ref: 'cus_order', order_id });
  expect(ofProduct).toMatchObject({ scope: 'product', product_id, order_id: null, buyer: null });
  const byEvent = await rated(app, seller, order_id, { customer_ref: 'cus_order' });
  // Without a reference it is the buyer of the order.
  const byOrder = await rated(app, seller, order_id);
  expect(byOrder).toMatchObject({ scope: 'seller', product_id: null, order_id });
  expect(byOrder.buyer).toEqual(byEvent.buyer);
  expect(byOrder.buyer).toMatchObject({ alias: 'buyer_7' });
  expect((await ratingsOf(seller, `?order_id=${order_id}`)).map(({ rating_id }) => rating_id)).toEqual([
    byOrder.rating_id,
    byEvent.rating_id,
  ]);
  expect(await ratingsOf(seller, `?product_id=${product_id}`)).toEqual([ofProduct]);
  expect(await ratingsOf(seller, '?stars=5')).toEqual([]);
  expect(await ratingsOf(seller, '?scope=product&status=counted&since=2026-07-16T00:00:00Z')).toEqual([
    ofProduct,
  ]);
  expect(await ratingsOf(seller, '?updated_since=2026-07-17T00:00:00Z')).toEqual([]);
  // Nothing of it is another seller's.
  expect(await ratingsOf(other)).toEqual([]);
  const subjects = [product_id, order_id].map((subject) => review(app, other, subject));
  expect(await tell(app, ...subjects)).toEqual(['product_not_found', 'order_not_found']);
  expect((await other.call('GET', `/reviews/ratings/${ofProduct.rating_id}`)).status).toBe(404);
  const mine = { review_id: 'same', rating: 2 };
  const theirs = review(app, other, await anOrder(other), mine);
  expect(await tell(app, review(app, seller, order_id, mine), theirs)).toEqual(['applied', 'applied']);
});

test('golden figures; a revision and a removal change the counts of the posting day', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  await post(seller, order, GOLDEN.slice(1));
  const posted_at = '2026-07-09T14:30:00Z';
  const low = await rated(app, seller, order, { review_id: 'low', rating: 1, posted_at });
  expect(low.posted_on).toBe('2026-07-10');
  const stars = { n1: 1, n2: 0, n3: 2, n4: 5, n5: 12 };
  const golden = { ...stars, count: 20, average_hundredths: 435, low_share_bps: 500 };
  const none = { excluded_count: 0, removed_count: 0 };
  const total = async () => (await read(seller, 'summary'))['seller'];
  expect(await total()).toEqual({ ...golden, ...none, status: 'complete' });
  const dayOf = async (day: string) => {
    const found = await read(seller, `series?scope=seller&from=${day}&to=${day}`);
    return found['data']?.[0];
  };
  const day = { start_on: '2026-07-10', end_on: '2026-07-10' };
  expect(await dayOf('2026-07-10')).toEqual({ ...day, ...stars, count: 20, average_hundredths: 435 });

  const revised_at = '2026-07-15T01:00:00Z';
  await apply(app, change(seller, 'revised', order, { review_id: 'low', rating: 2, revised_at }));
  expect(await dayOf('2026-07-10')).toMatchObject({ n1: 0, n2: 1, count: 20, average_hundredths: 440 });
  expect(await dayOf('2026-07-15')).toMatchObject({ count: 0, average_hundredths: null });
  expect(await readRating(seller, low)).toMatchObject({ stars: 2, posted_stars: 1, version: 2 });

  await apply(app, change(seller, 'removed', order, { review_id: 'low', reason: 'fake' }));
  expect(await total()).toMatchObject({ n2: 0, count: 19, average_hundredths: 453, low_share_bps: 0 });
  expect(await total()).toMatchObject({ excluded_count: 0, removed_count: 1 });
  expect(await readRating(seller, low)).toMatchObject({ status: 'removed' });
  expect(await eventTypesOf(app, seller, low.rating_id)).toEqual([
    'rating.posted',
    'rating.changed',
    'rating.changed',
  ]);
  // It is removed for good.
  expect(await tell(app, change(seller, 'removed', order, { review_id: 'low' }))).toEqual(['stale']);
});

test('before the first rating figures are null; a few are an insufficient sample', async () => {
  const seller = await app.seller();
  const none = { semantic_status: 'no_usable_report', facts_through_on: null };
  expect(await read(seller, 'summary')).toMatchObject({
    ...none,
    ...{ seller: null, product: null, rated_share_bps: null },
    ...{ window: '30', from_on: '2026-06-17', to_on: '2026-07-16' },
  });
  expect(await read(seller, 'series')).toMatchObject({ ...none, data: [] });
  expect(await read(seller, 'products')).toMatchObject({ ...none, data: [] });
  await post(seller, await anOrder(seller), [5, 4, 4], '2026-05-02');
  const few = { semantic_status: 'insufficient_sample', facts_through_on: '2026-07-15' };
  const figures = { count: 3, average_hundredths: 433, low_share_bps: 0 };
  expect(await read(seller, 'summary?window=all')).toMatchObject({
    ...few,
    seller: { ...figures, status: 'insufficient_sample' },
    product: { count: 0, average_hundredths: null, low_share_bps: null },
    rated_share_bps: null,
  });
  expect(await read(seller, 'summary?window=90')).toMatchObject({ seller: figures });
  expect(await read(seller, 'summary?window=30')).toMatchObject({ seller: { count: 0 } });
});

test('a rating of a later day counts from that day on; one of ten years ahead is refused', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  await post(seller, order, [5], '2026-07-10');
  await post(seller, order, [1], '2027-07-10');
  for (const window of ['30', 'all'])
    expect(await read(seller, `summary?window=${window}`)).toMatchObject({
      seller: { count: 1, n5: 1, n1: 0 },
    });
  const posted_at = '2037-01-01T00:00:00Z';
  expect(await tell(app, review(app, seller, order, { posted_at }))).toEqual(['data_invalid']);
  const review_id = 'rv-known';
  await rated(app, seller, order, { review_id });
  const revised = (revised_at: string) =>
    change(seller, 'revised', order, { review_id, rating: 2, revised_at });
  expect(await tell(app, revised(posted_at), revised('2026-07-16T01:00:00Z'))).toEqual([
    ...['data_invalid', 'applied'],
  ]);
});

test('a series has every period, by day or month, and at most 400', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  await post(seller, order, [5], '2026-05-02');
  await post(seller, order, [2, 3], '2026-07-01');
  interface Period {
    readonly start_on: string;
    readonly end_on: string;
    readonly count: number;
  }
  const months = await seller.call<{ data: Period[] }>(
    'GET',
    '/reviews/series?granularity=month&from=2026-05-02&to=2026-07-10',
  );
  const periods = months.body.data.map(({ start_on, end_on, count }) => [start_on, end_on, count]);
  expect(periods).toEqual([
    ['2026-05-02', '2026-05-31', 1],
    ['2026-06-01', '2026-06-30', 0],
    ['2026-07-01', '2026-07-10', 2],
  ]);
  const days = await read(seller, 'series?from=2026-07-01&to=2026-07-02');
  expect(days['data']).toMatchObject([
    { n2: 1, n3: 1, average_hundredths: 250 },
    { count: 0, average_hundredths: null },
  ]);
  const refused = async (query: string) => {
    const { status, body } = await seller.call<{ detail: { type: string; loc: string[] }[] }>(
      'GET',
      `/reviews/series?${query}`,
    );
    return [status, body.detail[0]?.type, body.detail[0]?.loc.join('.')];
  };
  expect(await refused('from=2025-01-01&to=2026-07-01')).toEqual([422, 'window_too_long', 'query.from']);
  expect(await refused('from=2026-07-02&to=2026-07-01')).toEqual([422, 'window_empty', 'query.from']);
});

test('products with the most low ratings, or the most ratings, come first, page by page', async () => {
  const seller = await app.seller();
  const [good, bad, rare] = await Promise.all([create(seller), create(seller), create(seller)]);
  await post(seller, good.product_id, [5, 5, 5, 4, 4, 1]);
  await post(seller, bad.product_id, [1, 2, 1, 5, 5]);
  await post(seller, rare.product_id, [4]);
  const walk = async (sort: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await seller.call<{
        data: { product_id: string }[];
        page: { next_cursor: string | null };
      }>('GET', `/reviews/products?limit=1&sort=${sort}${cursor}`);
      ids.push(...page.body.data.map(({ product_id }) => product_id));
      const next = page.body.page.next_cursor;
      if (next === null) return ids;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  };
  const [first, second, third] = [good, bad, rare].map(({ product_id }) => product_id);
  expect(await walk('low_share')).toEqual([second, first, third]);
  expect(await walk('count')).toEqual([first, second, third]);
  expect(await read(seller, 'products?limit=1')).toMatchObject({
    data: [{ product_id: second, count: 5, average_hundredths: 280, low_share_bps: 6_000 }],
    semantic_status: 'complete',
  });
  const series = await read(seller, `series?product_id=${first}&from=2026-07-10&to=2026-07-10`);
  expect(series['data']).toMatchObject([{ count: 6, average_hundredths: 400 }]);
});

test('the share of rated orders is of those that were delivered in the window', async () => {
  const seller = await app.seller();
  const orders = await Promise.all([anOrder(seller), anOrder(seller), anOrder(seller)]);
  await asOwner(app, 'update sales_order set delivered_at = $2 where order_id = any($1)', [
    orders,
    '2026-07-14T00:00:00Z',
  ]);
  await post(seller, orders[0] ?? '', [5]);
  expect((await read(seller, 'summary'))['rated_share_bps']).toBe(3_333);
});

test('the same review twice counts once; other content under its id is id_reused', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const data = { review_id: 'rv-twice', rating: 3, posted_at: '2026-07-10T01:00:00Z' };
  const again = () => review(app, seller, order, data);
  expect(await tell(app, again(), again())).toEqual(['applied', 'applied']);
  expect(await tell(app, review(app, seller, order, { ...data, rating: 4 }))).toEqual(['id_reused']);
  expect(await tell(app, review(app, seller, await anOrder(seller), data))).toEqual(['id_reused']);
  expect((await read(seller, 'summary'))['seller']).toMatchObject({ n3: 1, count: 1 });
  expect(await tell(app, review(app, seller, order, { rating: 6 }))).toEqual(['data_invalid']);
  const unknown = change(seller, 'revised', order, { review_id: 'rv-none', rating: 3 });
  expect(await tell(app, unknown)).toEqual(['review_not_found']);
  expect(await tell(app, { ...again(), sellerid: 'slr_none' })).toEqual(['seller_not_found']);
});

test('the events of a rating end alike in every order, with repetitions', async () => {
  const seller = await app.seller();
  const ends = new Set<string>();
  for (const [index, order] of sequences(4).entries()) {
    const { product_id } = await create(seller);
    const review_id = `rv-mixed-${index}`;
    const time = (hour: number) => `2026-07-10T0${hour}:00:00Z`;
    const events = [
      review(app, seller, product_id, { review_id, rating: 1, posted_at: time(1) }, { time: time(1) }),
      ...[2, 3, 4].map((hour) =>
        change(
          seller,
          'revised',
          product_id,
          { review_id, rating: hour + 1, revised_at: time(hour) },
          { time: time(hour) },
        ),
      ),
    ];
    let waiting = order.map((at) => events[at] ?? {});
    for (let round = 0; waiting.length > 0 && round < 5; round += 1) {
      const results = await tell(app, ...waiting);
      waiting = waiting.filter((_, at) => results[at] === 'review_not_found');
    }
    await app.events(...events);
    const [found] = await ratingsOf(seller, `?product_id=${product_id}`);
    const { stars, status, revisions } = found ?? {};
    const { data } = await read(seller, `series?product_id=${product_id}&from=2026-07-10&to=2026-07-10`);
    ends.add(JSON.stringify({ stars, status, revisions, data }));
  }
  expect([...ends].map((end) => JSON.parse(end))).toEqual([
    expect.objectContaining({ stars: 5, data: [expect.objectContaining({ n1: 0, n5: 1, count: 1 })] }),
  ]);
});

test('two low stars are a notification, five are none', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  await post(seller, order, [5, 2]);
  const titles = async () =>
    (await seller.call<{ data: { type: string; title: string }[] }>('GET', '/notifications')).body.data
      .filter(({ type }) => type.startsWith('rating.'))
      .map(({ title }) => title);
  await expect.poll(titles).toEqual(['A buyer has given 2 of 5 stars']);
});
