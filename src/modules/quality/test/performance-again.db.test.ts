/** Orders that cease to count against the seller and count again. Source: docs/design/quality.md#performance. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { apply, orderEvent, placeOrder, post, shipAll } from '../../../../test/support/orders.ts';
import { type Event, events, expectEqualLists } from '../../../../test/support/performance.ts';
import { contestEvent } from '../../../../test/support/quality.ts';
import { type Contest, decide, rated } from '../../../../test/support/reviews.ts';
import { moveTo } from '../../../../test/support/tickets.ts';

const START = Date.parse('2026-07-01T00:00:00Z');
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: new Date(START).toISOString() });
/** Seconds after the night of a day. */
const at = (day: number, seconds = 0) => new Date(START + day * 86_400_000 + seconds * 1_000).toISOString();

test('an order that counts again keeps its event, with its contest', async () => {
  let seller = await app.seller();
  const id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await post(seller, `${id}/accept`);
  await shipAll(seller, id);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const { rating_id } = await rated(app, seller, id, { rating: 1 });
  [seller = seller] = await moveTo(app, at(1), seller);
  const [counted] = (await events(seller, 'defect')) as [Event];
  const { body } = await contestEvent(seller, counted.event_id, { reason: 'other' });
  const ofRating = await seller.call<Contest>('POST', `/reviews/ratings/${rating_id}/contest`, {
    json: { reason: 'threat' },
  });
  const decideAt = (contest: Contest, status: string, time: string) =>
    decide(app, seller, contest, { status, reason_code: 'checked' }, { time });
  expect(await decideAt(ofRating.body, 'upheld', at(1, 1))).toBe('applied');
  [seller = seller] = await moveTo(app, at(2), seller);
  expect(await events(seller, 'defect')).toEqual([]);
  expect(await contestEvent(seller, counted.event_id, { reason: 'other' })).toMatchObject({ status: 404 });
  // The decision comes while the order does not count.
  expect(await decideAt(body, 'upheld', at(2, 1))).toBe('applied');
  await expectEqualLists(seller);
  expect(await decideAt(ofRating.body, 'declined', at(2, 2))).toBe('applied');
  [seller = seller] = await moveTo(app, at(3), seller);
  const { contest_until } = counted;
  expect(await events(seller, 'defect')).toMatchObject([
    { event_id: counted.event_id, contest_until, counted: false, contest: { status: 'upheld' } },
  ]);
  await expectEqualLists(seller);
  expect(await contestEvent(seller, counted.event_id, { reason: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'contest_exists' },
  });
});
