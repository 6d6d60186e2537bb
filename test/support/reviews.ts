/** Ratings and private feedback, as the marketplace tells of them. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { apply, orderEvent, placeOrder } from './orders.ts';

type Seller = Pick<TestSeller, 'seller_id' | 'call'>;
type Data = Readonly<Record<string, unknown>>;

export interface Contest {
  readonly contest_id: string;
  readonly status: string;
  readonly target_revision: number;
  readonly facts: Data;
  readonly decision: Data | null;
  readonly code?: string;
}
interface Item {
  readonly status: string;
  readonly order_id: string | null;
  readonly buyer: { readonly buyer_id: string } | null;
  readonly contest: Contest | null;
  readonly contest_until: string;
  readonly version: number;
}
export interface Rating extends Item {
  readonly rating_id: string;
  readonly stars: number;
  readonly posted_on: string;
  readonly revisions: readonly { readonly stars: number }[];
}
export interface Feedback extends Item {
  readonly feedback_id: string;
  readonly text: string | null;
  readonly masked: readonly string[];
  readonly redacted: { readonly reason: string } | null;
}

/** `review.posted` about a subject; four stars unless said otherwise. */
export const review = (app: TestApp, seller: Seller, subject: string, data: Data = {}, more: object = {}) =>
  orderEvent(
    app,
    seller,
    'review.posted',
    subject,
    { review_id: `rv-${randomUUID()}`, rating: 4, ...data },
    more,
  );

/** `feedback.posted` about an order. */
export const opinion = (app: TestApp, seller: Seller, order: string, data: Data = {}, more: object = {}) =>
  orderEvent(
    app,
    seller,
    'feedback.posted',
    order,
    { feedback_id: `fb-${randomUUID()}`, topic: 'delivery', text: 'It was wet.', ...data },
    more,
  );

export const ratingsOf = async (seller: Seller, query = ''): Promise<readonly Rating[]> =>
  (await seller.call<{ data: Rating[] }>('GET', `/reviews/ratings${query}`)).body.data;
export const feedbackOf = async (seller: Seller, query = ''): Promise<readonly Feedback[]> =>
  (await seller.call<{ data: Feedback[] }>('GET', `/reviews/feedback${query}`)).body.data;
export const readRating = async (seller: Seller, { rating_id }: Pick<Rating, 'rating_id'>): Promise<Rating> =>
  (await seller.call<Rating>('GET', `/reviews/ratings/${rating_id}`)).body;

function newest<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('nothing is listed');
  return first;
}

/** Posts a rating, and reads it. */
export async function rated(app: TestApp, seller: Seller, subject: string, data: Data = {}): Promise<Rating> {
  await apply(app, review(app, seller, subject, data));
  return newest(await ratingsOf(seller));
}

/** Posts feedback, and reads it. */
export async function told(app: TestApp, seller: Seller, order: string, data: Data = {}): Promise<Feedback> {
  await apply(app, opinion(app, seller, order, data));
  return newest(await feedbackOf(seller));
}

export const contest = (seller: Seller, path: string, json: object = { reason: 'other' }, query = '') =>
  seller.call<Contest>('POST', `/reviews/${path}/contest${query}`, { json });

/** Decides about a contest. @returns the status or the code of a rejection */
export async function decide(
  app: TestApp,
  seller: Seller,
  { contest_id }: Pick<Contest, 'contest_id'>,
  data: Data,
  more: object = {},
): Promise<string | undefined> {
  const [result] = await app.events(orderEvent(app, seller, 'contest.decided', contest_id, data, more));
  return result?.code ?? result?.status;
}

const anOrder = (app: TestApp, seller: TestSeller) => placeOrder(app, seller, [{ title: 'Mug' }]);

/** Ids for tests of every route. */
export async function reviewObjects(app: TestApp, seller: TestSeller): Promise<Record<string, string>> {
  const order = await anOrder(app, seller);
  const { rating_id } = await rated(app, seller, order);
  const { feedback_id } = await told(app, seller, order);
  const { contest_id } = (await contest(seller, `ratings/${rating_id}`)).body;
  return { rating_id, feedback_id, contest_id };
}

/** Requests that succeed, by the ids of their routes. */
export function reviewSendings(app: TestApp, sellerOf: () => TestSeller) {
  const order = () => anOrder(app, sellerOf());
  const rating = async () => ({
    ids: { rating_id: (await rated(app, sellerOf(), await order())).rating_id },
  });
  const feedback = async () => ({
    ids: { feedback_id: (await told(app, sellerOf(), await order())).feedback_id },
  });
  return {
    'reviews.ratings.contest': rating,
    ...{ 'reviews.feedback.contest': feedback, 'reviews.feedback.acknowledge': feedback },
    'reviews.contests.withdraw': async () => ({ ids: await reviewObjects(app, sellerOf()) }),
  };
}
