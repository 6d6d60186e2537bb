/** Readiness and performance, for tests. */
import type { TestApp, TestSeller } from './app.ts';
import { eventually } from './feeds.ts';
import { afterJobs } from './jobs.ts';
import { apply, orderEvent, placeOrder, post } from './orders.ts';
import { create } from './products.ts';
import type { Contest } from './reviews.ts';

/** The product of the golden figures (docs/design/quality.md). */
export const GOLDEN = {
  title: 'Blue stoneware mug, 350 ml',
  description: 'A mug that is thrown by hand, glazed in blue and fired twice, for tea, coffee and soup, ok!',
  category: 'Home > Kitchen > Mugs',
  identity: { strategy: 'exempt', reason: 'handmade' },
  images: [{ url: 'https://shop.example/mug.jpg' }],
  attributes: { colour: 'blue' },
};

/** The marketplace decides about the present version of a product. */
export const curate = (app: TestApp, seller: TestSeller, product_id: string, data: object) =>
  apply(app, orderEvent(app, seller, 'product.curation_decided', product_id, data));

/** An approved product of the golden figures. */
export async function listed(app: TestApp, seller: TestSeller, more: Record<string, unknown> = {}) {
  const { product_id } = await create(seller, { ...GOLDEN, ...more });
  await curate(app, seller, product_id, { decision: 'approved', reviewed_version: 1 });
  return product_id;
}

/** Runs the night of a seller now. The worker may be faster, so it waits until the job is done. */
export async function night(app: TestApp, { seller_id }: Pick<TestSeller, 'seller_id'>): Promise<void> {
  const { jobs, withSystem, now } = app.app.services;
  const job = { kind: 'facts.roll', sellerId: seller_id, uniqueKey: seller_id, dueAt: now() };
  await withSystem('jobs', 'single', (db) => jobs.add(db, job));
  const text = "select from job where kind = 'facts.roll' and seller_id = $1";
  await afterJobs(
    app,
    () => withSystem('jobs', 'read', (db) => db.all({ text, values: [seller_id] })),
    ({ length }) => length === 0,
  );
}

/** An order that the seller has rejected, as an event that counts against it. */
export async function countedEvent(app: TestApp, seller: TestSeller): Promise<string> {
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await post(seller, `${order_id}/reject`, { reason: 'other' });
  await night(app, seller);
  const [found] = await eventually(
    () =>
      app.app.services.withSystem('jobs', 'read', (db) =>
        db.all<{ event_id: string }>({
          text: 'select event_id from quality_event where seller_id = $1 and order_id = $2',
          values: [seller.seller_id, order_id],
        }),
      ),
    ({ length }) => length > 0,
  );
  return found?.event_id ?? '';
}

export const contestEvent = (seller: Pick<TestSeller, 'call'>, event_id: string, json: object, query = '') =>
  seller.call<Contest & { code?: string }>(
    'POST',
    `/quality/seller-metrics/events/${event_id}/contest${query}`,
    { json },
  );

/** Requests that succeed, by the ids of their routes. */
export function qualitySendings(app: TestApp, sellerOf: () => TestSeller) {
  const event = async () => ({ ids: { event_id: await countedEvent(app, sellerOf()) } });
  return {
    'quality.events.contest': event,
    'quality.contests.withdraw': async () => {
      const { ids } = await event();
      const { body } = await contestEvent(sellerOf(), ids.event_id, { reason: 'other' });
      return { ids: { contest_id: body.contest_id } };
    },
  };
}
