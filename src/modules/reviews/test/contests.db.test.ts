/** Contests of ratings over HTTP. Source: docs/design/contests.md. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import { create } from '../../../../test/support/products.ts';
import { type Contest, contest, decide, rated, readRating } from '../../../../test/support/reviews.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });
const anOrder = (seller: TestSeller) => placeOrder(app, seller, [{ title: 'Mug' }]);
const DECLINED = { status: 'declined', reason_code: 'fair', detail: 'It is about your shop.' };
const withdraw = (seller: TestSeller, { contest_id }: Contest) =>
  seller.call<Contest>('POST', `/reviews/contests/${contest_id}/withdraw`, { json: {} });
const totals = async (seller: TestSeller) =>
  (await seller.call<{ seller: Record<string, number> }>('GET', '/reviews/summary')).body.seller;

test('an upheld contest excludes a rating from its day, a later decline counts it again', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const rating = await rated(app, seller, order, { rating: 1 });
  const { body: made } = await contest(seller, `ratings/${rating.rating_id}`, { reason: 'wrong_order' });
  expect(made).toMatchObject({
    status: 'submitted',
    target_revision: 0,
    facts: { order_id: order, stars: 1 },
  });
  expect((await readRating(seller, rating)).contest?.contest_id).toBe(made.contest_id);
  expect(await totals(seller)).toMatchObject({ n1: 1, count: 1 });
  expect(await decide(app, seller, made, { status: 'under_review' })).toBe('applied');
  expect(await withdraw(seller, made)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await decide(app, seller, made, { status: 'upheld' })).toBe('applied');
  expect(await readRating(seller, rating)).toMatchObject({
    status: 'excluded',
    contest: { status: 'upheld' },
  });
  expect(await totals(seller)).toMatchObject({ n1: 0, count: 0, excluded_count: 1 });
  const older = { time: '2026-07-15T00:00:00Z' };
  expect(await decide(app, seller, made, DECLINED, older)).toBe('stale');
  expect(await decide(app, seller, made, { status: 'declined' })).toBe('data_invalid');
  expect(await decide(app, seller, made, DECLINED)).toBe('applied');
  expect(await readRating(seller, rating)).toMatchObject({
    status: 'counted',
    contest: { status: 'declined', decision: { reason_code: 'fair' } },
  });
  expect(await totals(seller)).toMatchObject({ n1: 1, count: 1, excluded_count: 0 });
  expect(await eventTypesOf(app, seller, made.contest_id)).toEqual([
    'contest.submitted',
    'contest.decided',
    'contest.decided',
  ]);
});

test('a contest with If-Match is about the stars that its maker has seen', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const { rating_id } = await rated(app, seller, order, { review_id: 'rv-1', rating: 1 });
  const path = `/reviews/ratings/${rating_id}`;
  const etag = (await seller.call('GET', path)).headers.get('etag') ?? '';
  const revised = { review_id: 'rv-1', rating: 2, revised_at: '2026-07-16T02:00:00Z' };
  await apply(app, orderEvent(app, seller, 'review.revised', order, revised));
  const headers = { 'if-match': etag };
  const late = await seller.call('POST', `${path}/contest`, { json: { reason: 'other' }, headers });
  expect(late.status).toBe(412);
});

test('each refusal says why: exists, window, reason, removed; a revision may be contested again', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const order = await anOrder(seller);
  const { rating_id } = await rated(app, seller, order, { review_id: 'rv-1', rating: 1 });
  const path = `ratings/${rating_id}`;
  const label = await contest(seller, path, { reason: 'delivery_by_marketplace_label' });
  expect(label).toMatchObject({
    status: 409,
    body: { code: 'reason_not_applicable', fact: { name: 'label_bought_here', value: null } },
  });
  const rehearsed = await contest(seller, path, { reason: 'other' }, '?dry_run=true');
  expect(rehearsed).toMatchObject({ status: 201, body: { status: 'submitted' } });
  for (const detail of ['4111 1111 1111 1111', 'exe.\u202etxt'])
    expect((await contest(seller, path, { reason: 'other', detail })).body).toMatchObject({
      detail: [{ loc: ['body', 'detail'] }],
    });
  const made = await contest(seller, path, { reason: 'other', detail: 'Not ours.' });
  expect(made.status).toBe(201);
  expect(await contest(seller, path)).toMatchObject({
    status: 409,
    body: { code: 'contest_exists', contest_id: made.body.contest_id },
  });
  expect((await contest(other, path)).status).toBe(404);
  expect((await withdraw(other, made.body)).status).toBe(404);
  expect((await contest(seller, path, { reason: 'because' })).status).toBe(422);
  const revised = { review_id: 'rv-1', rating: 2, revised_at: '2026-07-16T00:30:00Z' };
  await apply(
    app,
    orderEvent(app, seller, 'review.revised', order, { ...revised, revised_at: '2026-07-16T02:00:00Z' }),
  );
  const second = await contest(seller, path);
  expect(second).toMatchObject({ status: 201, body: { target_revision: 1, facts: { stars: 2 } } });
  // The decision about the old revision changes nothing.
  expect(await decide(app, seller, made.body, { status: 'upheld' })).toBe('applied');
  expect((await totals(seller))['excluded_count']).toBe(0);
  expect(await withdraw(seller, second.body)).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
  expect(await decide(app, seller, second.body, { status: 'upheld' })).toBe('invalid_transition');
  expect((await contest(seller, path)).status).toBe(201);
  const all = await seller.call<{ data: Contest[] }>('GET', '/reviews/contests');
  expect(all.body.data.map(({ status }) => status)).toEqual(['submitted', 'withdrawn', 'upheld']);
  const open = await seller.call<{ data: Contest[] }>('GET', '/reviews/contests?status=upheld');
  expect(open.body.data).toHaveLength(1);
  expect(await decide(app, other, made.body, { status: 'upheld' })).toBe('contest_not_found');
  expect(await decide(app, { ...other, seller_id: 'slr_none' }, made.body, { status: 'upheld' })).toBe(
    'seller_not_found',
  );

  const { product_id } = await create(seller);
  const ofProduct = await rated(app, seller, product_id);
  expect(
    await contest(seller, `ratings/${ofProduct.rating_id}`, { reason: 'not_about_seller' }),
  ).toMatchObject({
    status: 409,
    body: { code: 'reason_not_applicable', fact: { name: 'scope', value: 'product' } },
  });
  const posted_at = '2026-04-17T01:00:00.000Z';
  const old = await rated(app, seller, order, { review_id: 'rv-old', posted_at });
  expect(await contest(seller, `ratings/${old.rating_id}`)).toMatchObject({
    status: 409,
    body: { code: 'contest_window_passed', contest_until: '2026-07-16T01:00:00.000Z' },
  });
  await apply(app, orderEvent(app, seller, 'review.revised', order, { ...revised, review_id: 'rv-old' }));
  expect((await contest(seller, `ratings/${old.rating_id}`)).status).toBe(201);
  await apply(app, orderEvent(app, seller, 'review.removed', order, { review_id: 'rv-1' }));
  expect(await contest(seller, path)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  const types = (await marketplaceEvents(app, seller, 'contest.', 5)).map(({ type }) => type);
  expect(types.toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'contest.submitted'),
    'contest.withdrawn',
  ]);
});

test('a label counts as a reason only if it was bought here and the parcel left in time', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 9);
  const order = await placeOrder(app, seller, [{ sku }]);
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', order, { charge_id: 'ch_1', captured_minor: 2_000 }),
  );
  await post(seller, `${order}/accept`);
  const { shipment_id } = await shipAll(seller, order);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', shipment_id, {}));
  const { rating_id } = await rated(app, seller, order, { rating: 1 });
  const submit = () =>
    contest(seller, `ratings/${rating_id}`, { reason: 'delivery_by_marketplace_label' }, '?dry_run=true');
  const against = (name: string) => ({
    status: 409,
    body: { code: 'reason_not_applicable', fact: { name, value: false } },
  });
  expect(await submit()).toMatchObject(against('label_bought_here'));
  await asOwner(app, "update order_shipment set label_id = 'lbl_bought' where order_id = $1", [order]);
  expect(await submit()).toMatchObject({
    status: 201,
    body: { facts: { order_id: order, stars: 1, label_bought_here: true, dispatched_in_time: true } },
  });
  const late = "update sales_order set dispatch_by = '2026-07-15T00:00:00Z' where order_id = $1";
  await asOwner(app, late, [order]);
  expect(await submit()).toMatchObject(against('dispatched_in_time'));
});

test('of contests at the limit that arrive at once one fits; a withdrawal makes room', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const ratings = [];
  for (let index = 0; index < 23; index += 1) ratings.push(await rated(app, seller, order));
  const made = await Promise.all(
    ratings.slice(0, 19).map(({ rating_id }) => contest(seller, `ratings/${rating_id}`)),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  const many = await Promise.all(
    ratings.slice(19).map(({ rating_id }) => contest(seller, `ratings/${rating_id}`)),
  );
  expect(many.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  const refused = many.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: 'contest_limit', limit: 20 });
  const [first] = made;
  if (first !== undefined) await withdraw(seller, first.body);
  const left = ratings.slice(19)[many.findIndex(({ status }) => status === 409)];
  expect((await contest(seller, `ratings/${left?.rating_id}`)).status).toBe(201);
});

test('decisions, revisions and sums end alike in every order', async () => {
  const seller = await app.seller();
  const ends = new Set<string>();
  for (const sequence of permutations([0, 1, 2])) {
    const order = await anOrder(seller);
    const review_id = `rv-${sequence.join('')}`;
    const rating = await rated(app, seller, order, {
      review_id,
      rating: 1,
      posted_at: '2026-07-15T00:00:00Z',
    });
    const { body: made } = await contest(seller, `ratings/${rating.rating_id}`);
    const decided = (data: object, hour: number) =>
      orderEvent(app, seller, 'contest.decided', made.contest_id, data, {
        time: `2026-07-16T0${hour}:00:00Z`,
      });
    const revised = { review_id, rating: 3, revised_at: '2026-07-16T03:00:00Z' };
    const events = [
      decided({ status: 'upheld' }, 1),
      decided(DECLINED, 2),
      orderEvent(app, seller, 'review.revised', order, revised, { time: '2026-07-16T03:00:00Z' }),
    ];
    for (const at of sequence) await app.events(events[at] ?? {});
    await app.events(...events);
    const { stars, status, contest: known } = await readRating(seller, rating);
    ends.add(JSON.stringify({ stars, status, contest: known?.status }));
  }
  expect([...ends]).toEqual([JSON.stringify({ stars: 3, status: 'counted', contest: 'declined' })]);
  const sums = `select scope, product_id, posted_on as day, count(*) filter (where status = 'counted' and stars = 3)::int as n3,
                       count(*)::int as all from rating where seller_id = $1 group by 1, 2, 3`;
  expect(await asOwner(app, sums, [seller.seller_id])).toMatchObject([{ n3: 6, all: 6 }]);
  expect(await totals(seller)).toMatchObject({ n1: 0, n3: 6, count: 6, excluded_count: 0 });
});
