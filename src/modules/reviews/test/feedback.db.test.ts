/** Private feedback over HTTP. Source: docs/design/reviews.md#feedback. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { tell } from '../../../../test/support/conversations.ts';
import {
  apply,
  orderEvent,
  placeOrder,
  post as postOrder,
  shipAll,
  TRACKING,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import {
  contest,
  decide,
  feedbackOf,
  opinion,
  rated,
  ratingsOf,
  told,
} from '../../../../test/support/reviews.ts';
import { moveTo } from '../../../../test/support/tickets.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });
const anOrder = (seller: TestSeller, more: object = {}) => placeOrder(app, seller, [{ title: 'Mug' }], more);
const withdrawn = (seller: TestSeller, order: string, feedback_id: string) =>
  orderEvent(app, seller, 'feedback.withdrawn', order, { feedback_id });
const acknowledge = (seller: TestSeller, feedback_id: string) =>
  seller.call<Record<string, unknown>>('POST', `/reviews/feedback/${feedback_id}/acknowledge`, { json: {} });

/** What is stored of a seller's feedback and told about it, as text. */
async function stored(seller: TestSeller): Promise<string> {
  const rows = [];
  for (const table of ['feedback', 'rating', 'contest', 'outbox', 'notification'])
    rows.push(
      await asOwner(app, `select to_jsonb(t)::text as row from ${table} t where seller_id = $1`, [
        seller.seller_id,
      ]),
    );
  return JSON.stringify([rows, (await seller.call('GET', '/webhooks/events?limit=200')).text]);
}

test('contact data in feedback are masked, and the original is nowhere', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const order_id = await anOrder(seller);
  const found = await told(app, seller, order_id, {
    text: 'Call 0412 345 679 or mail a@b.com.au',
    media: ['x'],
  });
  expect(found).toMatchObject({
    ...{ order_id, status: 'open', redacted: null, contest: null },
    text: 'Call [phone removed] or mail [email removed]',
    masked: ['email', 'phone'],
  });
  expect(await stored(seller)).not.toMatch(/345 679|a@b/);
  expect(await feedbackOf(seller, `?order_id=${order_id}&topic=delivery&status=open`)).toEqual([found]);
  expect(await feedbackOf(seller, '?topic=price')).toEqual([]);
  expect(await feedbackOf(other)).toEqual([]);
  expect((await other.call('GET', `/reviews/feedback/${found.feedback_id}`)).status).toBe(404);
  expect((await acknowledge(other, found.feedback_id)).status).toBe(404);
  expect(await tell(app, opinion(app, other, order_id))).toEqual(['order_not_found']);
  await expect
    .poll(async () => (await seller.call<{ data: { type: string }[] }>('GET', '/notifications')).body.data)
    .toContainEqual(expect.objectContaining({ type: 'feedback.received', severity: 'warning' }));
});

test('feedback may name what its order has: its numbers are no contact data', async () => {
  const seller = await app.seller();
  const order_id = await anOrder(seller, { order_number: '0412345678' });
  await postOrder(seller, `${order_id}/accept`);
  await shipAll(seller, order_id);
  const text = `Parcel ${TRACKING.tracking_number} of 0412345678: https://auspost.com.au/mypost`;
  expect(await told(app, seller, order_id, { text })).toMatchObject({ text, masked: [] });
});

test('feedback about an erased order is stored without its text, also while units are still to arrive', async () => {
  const seller = await app.seller();
  const order_id = await anOrder(seller, { buyer: { alias: 'mia', customer_ref: 'cus_mia' } });
  const early = await told(app, seller, order_id, { text: 'The blue door', feedback_id: 'fb-early' });
  const request = { request_id: 'ers-1', customer_ref: 'cus_mia' };
  await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
  const late = await told(app, seller, order_id, { text: 'The blue door', feedback_id: 'fb-late' });
  expect([early.feedback_id === late.feedback_id, late.text]).toEqual([false, null]);
  expect(await stored(seller)).not.toContain('blue door');
});

test('the seller acknowledges feedback once, and the marketplace is told', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const { feedback_id } = await told(app, seller, order, { feedback_id: 'fb-seen' });
  const first = await acknowledge(seller, feedback_id);
  expect(first).toMatchObject({ status: 200, body: { status: 'acknowledged' } });
  expect(first.body['acknowledged_at']).toBe('2026-07-16T01:00:00.000Z');
  expect(first.body['acknowledged_by']).toMatch(/^mbr_/);
  expect((await acknowledge(seller, feedback_id)).body['version']).toBe(first.body['version']);
  const events = await marketplaceEvents(app, seller, 'feedback.', 1);
  expect(events.map(({ type }) => type)).toEqual(['feedback.acknowledged']);
  expect(await tell(app, withdrawn(seller, order, 'fb-seen'), withdrawn(seller, order, 'fb-none'))).toEqual([
    'applied',
    'feedback_not_found',
  ]);
  expect((await feedbackOf(seller))[0]).toMatchObject({ status: 'withdrawn' });
  for (const path of ['acknowledge', 'contest'])
    expect(
      await seller.call('POST', `/reviews/feedback/${feedback_id}/${path}`, {
        json: path === 'contest' ? { reason: 'other' } : {},
      }),
    ).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
});

test('the same feedback twice is stored once; other content under its id is id_reused', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const data = { feedback_id: 'fb-twice', posted_at: '2026-07-10T01:00:00Z' };
  const again = (more: object = {}) => opinion(app, seller, order, { ...data, ...more });
  expect(await tell(app, again(), again())).toEqual(['applied', 'applied']);
  expect(await tell(app, again({ topic: 'price' }))).toEqual(['id_reused']);
  expect(await feedbackOf(seller)).toHaveLength(1);
});

test('an upheld contest withdraws feedback, a later decline brings it back unless the buyer withdrew it', async () => {
  const seller = await app.seller();
  const order = await anOrder(seller);
  const found = await told(app, seller, order, { feedback_id: 'fb-contested' });
  const made = await contest(seller, `feedback/${found.feedback_id}`, { reason: 'threat' });
  expect(made).toMatchObject({ status: 201, body: { status: 'submitted', facts: { order_id: order } } });
  const status = async () => (await feedbackOf(seller))[0]?.status;
  const declined = { status: 'declined', reason_code: 'fair' };
  expect(await decide(app, seller, made.body, { status: 'upheld' })).toBe('applied');
  expect(await status()).toBe('withdrawn');
  expect(await decide(app, seller, made.body, declined)).toBe('applied');
  expect(await status()).toBe('open');
  await apply(app, withdrawn(seller, order, 'fb-contested'));
  expect(await decide(app, seller, made.body, { status: 'upheld' })).toBe('applied');
  expect(await decide(app, seller, made.body, declined)).toBe('applied');
  expect(await status()).toBe('withdrawn');
});

test('an erasure deletes text and pseudonym, also in stored events; the stars stay', async () => {
  const seller = await app.seller();
  const customer_ref = 'cus_erased';
  const order = await anOrder(seller, { buyer: { alias: 'buyer_blue', customer_ref } });
  const text = 'Behind the blue door';
  // The buyer of the order, who is not named by the event, is erased as well.
  await told(app, seller, order, { text });
  await told(app, seller, order, {
    text,
    customer_ref,
    feedback_id: 'fb-erased',
    posted_at: '2026-07-10T01:00:00Z',
  });
  const rating = await rated(app, seller, order, { rating: 5, customer_ref });
  const buyer_id = rating.buyer?.buyer_id ?? '';
  expect(buyer_id).toMatch(/^byr_/);
  expect(await stored(seller)).toContain('blue door');
  const requested_at = '2026-07-16T01:00:00Z';
  const request = { request_id: 'ers-1', customer_ref, requested_at };
  await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
  for (const found of await feedbackOf(seller))
    expect(found).toMatchObject({ text: null, buyer: null, redacted: { reason: 'erasure' } });
  expect(await ratingsOf(seller)).toMatchObject([{ stars: 5, buyer: null }]);
  const left = await stored(seller);
  expect(left).not.toContain('blue door');
  const told_ = await asOwner<{ data: string }>(
    app,
    "select data::text from outbox where seller_id = $1 and (type like 'feedback.%' or type like 'rating.%')",
    [seller.seller_id],
  );
  expect(told_.length).toBe(3);
  expect(JSON.stringify(told_)).not.toContain(buyer_id);
  // A repetition and a late event bring nothing back.
  const late = { time: '2026-07-15T00:00:00Z' };
  const again = { text, customer_ref, feedback_id: 'fb-erased', posted_at: '2026-07-10T01:00:00Z' };
  await apply(app, opinion(app, seller, order, again, late));
  await apply(app, opinion(app, seller, order, { text, customer_ref }, late));
  expect((await feedbackOf(seller)).map((one) => [one.text, one.buyer])).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
  expect(await stored(seller)).not.toContain('blue door');
});

test('texts are deleted after the time for which conversations are kept', async () => {
  const app = await startTestApp({
    ...{ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' },
    CONVERSATION_RETENTION_DAYS: '3',
  });
  let seller = await app.seller();
  const order = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await told(app, seller, order);
  const redacted = async () => (await feedbackOf(seller))[0]?.redacted?.reason;
  [seller = seller] = await moveTo(app, '2026-07-18T01:00:00Z', seller);
  await app.app.services.jobs.runDue();
  expect(await redacted()).toBeUndefined();
  [seller = seller] = await moveTo(app, '2026-07-21T01:00:00Z', seller);
  await app.app.services.jobs.runDue();
  await expect.poll(redacted).toBe('retention');
  expect((await feedbackOf(seller))[0]).toMatchObject({ text: null, status: 'open' });
});
