/** Ratings and feedback as the API shows them, with their contests. */
import type { Acting } from '../../../kernel/context.ts';
import { buyersOf } from '../../../platform/buyers/buyers.ts';
import { policyAt } from '../../../platform/service-policy/policies.ts';
import { newestContests, toWireContest } from '../../contests/index.ts';
import { toWireFeedback, toWireRating, type WireFeedback, type WireRating } from '../schemas/ratings.ts';
import type { FeedbackRow, RatingRow } from '../store/ratings.ts';

type Reading = Pick<Acting, 'db' | 'seller_id' | 'now'>;
const DAY_MS = 86_400_000;

/** Until when something can be contested, in milliseconds: by the policy of now. */
async function windowOf({ db, now }: Reading): Promise<(from: string) => number> {
  const { contest_days } = await policyAt(db, now());
  return (from) => Date.parse(from) + contest_days * DAY_MS;
}

/** The instant from which the time to contest a rating runs. */
const lastChange = ({ posted_at, revisions }: RatingRow): string => revisions.at(-1)?.at ?? posted_at;
export const ratingUntil = async (ctx: Reading, row: RatingRow): Promise<number> =>
  (await windowOf(ctx))(lastChange(row));
export const feedbackUntil = async (ctx: Reading, row: FeedbackRow): Promise<number> =>
  (await windowOf(ctx))(row.posted_at);

async function besides(
  ctx: Reading,
  kind: 'rating' | 'feedback',
  rows: readonly { readonly id: string; readonly buyer_id: string | null; readonly from: string }[],
) {
  const [until, buyers, contests] = await Promise.all([
    windowOf(ctx),
    buyersOf(
      ctx,
      rows.map(({ buyer_id }) => buyer_id),
    ),
    newestContests(
      ctx,
      kind,
      rows.map(({ id }) => id),
    ),
  ]);
  return ({ id, buyer_id, from }: (typeof rows)[number]) => {
    const contest = contests.get(id);
    return {
      buyer: buyers.get(buyer_id ?? '') ?? null,
      contest: contest === undefined ? null : toWireContest(contest),
      contest_until: until(from),
    };
  };
}

export async function showRatings(ctx: Reading, rows: readonly RatingRow[]): Promise<WireRating[]> {
  const placed = rows.map((row) => ({ id: row.rating_id, buyer_id: row.buyer_id, from: lastChange(row) }));
  const beside = await besides(ctx, 'rating', placed);
  return rows.flatMap((row, index) => {
    const place = placed[index];
    return place === undefined ? [] : [toWireRating(row, beside(place))];
  });
}

export async function showFeedback(ctx: Reading, rows: readonly FeedbackRow[]): Promise<WireFeedback[]> {
  const placed = rows.map((row) => ({ id: row.feedback_id, buyer_id: row.buyer_id, from: row.posted_at }));
  const beside = await besides(ctx, 'feedback', placed);
  return rows.flatMap((row, index) => {
    const place = placed[index];
    return place === undefined ? [] : [toWireFeedback(row, beside(place))];
  });
}

/** @throws Error if there is no row to show */
export async function showOne<Row, Wire>(
  show: (ctx: Reading, rows: readonly Row[]) => Promise<Wire[]>,
  ctx: Reading,
  row: Row,
): Promise<Wire> {
  const [wire] = await show(ctx, [row]);
  if (wire === undefined) throw new Error('nothing is shown');
  return wire;
}
