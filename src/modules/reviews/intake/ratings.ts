/** Ratings of the marketplace. Their texts, titles, media and names are read by nothing and stored nowhere. */
import Type, { type Static } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { requireNotFuture } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { INSTANT_FROM_2000, Nullable } from '../../../kernel/schema.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { changeRating } from '../actions/change.ts';
import { showOne, showRatings } from '../actions/show.ts';
import { ratingMachine, withRevision } from '../domain/ratings.ts';
import { reviewEvents } from '../events.ts';
import { type RatingRow, ratingNamed, ratings } from '../store/ratings.ts';
import { actingFor, buyerOf, ratedBy } from './subject.ts';

const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const At = Type.String({ format: 'date-time', ...INSTANT_FROM_2000 });
const Rating = Type.Integer({ minimum: 1, maximum: 5 });
export const NotStored = Type.Optional(Type.Unknown({ description: 'Accepted, and not stored' }));

const Posted = Type.Object({
  review_id: Name,
  rating: Rating,
  posted_at: Type.Optional(At),
  customer_ref: Type.Optional(Nullable(Name)),
  text: NotStored,
  title: NotStored,
  media: NotStored,
});

/** Says what of a review is not stored. */
export function warningsOf({ text, title, media }: Partial<Static<typeof Posted>>): string[] {
  const isGiven = (value: unknown) =>
    value != null && value !== '' && !(Array.isArray(value) && value.length === 0);
  return [
    ...(isGiven(text) || isGiven(title) ? ['text_not_carried'] : []),
    ...(isGiven(media) ? ['media_not_carried'] : []),
  ];
}

async function applyPosted(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Posted>>,
): Promise<IntakeOutcome> {
  const { review_id, rating: stars, customer_ref = null, posted_at: given = event.time } = event.data;
  requireNotFuture(intake.now(), { 'data/posted_at': given });
  const outcome: IntakeOutcome = { status: 'applied', warnings: warningsOf(event.data) };
  const ctx = await actingFor(intake, event.seller_id);
  const { order, ...about } = await ratedBy(ctx, event);
  const posted_at = new Date(given).toISOString();
  const digest = contentDigest({ ...about, stars, posted_at });
  const known = await ratingNamed(ctx, review_id);
  if (wasAdded(known, digest, `review ${review_id}`)) return outcome;
  // The buyer of a product rating is not stored: the rating is public, and the buyer would lead to the order.
  const rating_id = ctx.ids.next('rev_');
  const buyer = order && (await buyerOf(ctx, order, { id: rating_id, customer_ref, time: event.time }));
  const row: RatingRow = {
    ...{ rating_id, external_review_id: review_id, ...about },
    ...{ buyer_id: buyer?.buyer_id ?? null, stars, posted_stars: stars, posted_at },
    posted_on: sydneyDate(Date.parse(posted_at)),
    ...{ status: 'counted', revisions: [], revision: 0, digest },
    ...firstVersion(ctx.at()),
  };
  if (!(await ratings.insert(ctx, row)))
    throw new IntakeRejection('conflict', 'Another event has brought the review; send it again.');
  await ctx.emit(reviewEvents.posted.of(await showOne(showRatings, ctx, row)));
  return outcome;
}

async function requireRating(intake: IntakeCtx, event: MarketplaceEvent<{ readonly review_id: string }>) {
  const ctx = await actingFor(intake, event.seller_id);
  const row = await ratingNamed(ctx, event.data.review_id);
  if (row === undefined) throw new IntakeRejection('review_not_found', 'The seller has no such review.');
  return { ctx, row };
}

const Revised = Type.Object({ review_id: Name, rating: Rating, revised_at: Type.Optional(At) });

/** An older revision is added to the history and changes nothing else, so that revisions end alike in any order. */
async function applyRevised(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Revised>>,
): Promise<IntakeOutcome> {
  const { rating: stars, revised_at = event.time } = event.data;
  requireNotFuture(intake.now(), { 'data/revised_at': revised_at });
  const { ctx, row } = await requireRating(intake, event);
  const at = new Date(revised_at).toISOString();
  const revisions = withRevision(row.revisions, { stars, at });
  if (revisions === undefined) return APPLIED;
  const newest = revisions.at(-1);
  const isNewest = newest?.at === at && newest.stars === stars && Date.parse(at) >= Date.parse(row.posted_at);
  if (!isNewest || !ratingMachine.allows('revise', row.status)) {
    await writeVersion(ratings, ctx, row, { revisions, ...(isNewest && { stars }) });
    return STALE;
  }
  await changeRating(ctx, row, { revisions, stars, status: 'counted', revision: row.revision + 1 });
  return APPLIED;
}

const Removed = Type.Object({
  review_id: Name,
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
});

/** A removal is for good. */
async function applyRemoved(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Removed>>,
): Promise<IntakeOutcome> {
  const { ctx, row } = await requireRating(intake, event);
  if (!ratingMachine.allows('remove', row.status)) return STALE;
  await changeRating(ctx, row, { status: 'removed' });
  return APPLIED;
}

const subject = 'product or order id';
export const ratingIntake = [
  defineMarketplaceEvent({
    type: 'marketplace.review.posted',
    summary:
      'A buyer has rated a product, or the seller by an order. Text, title and media are accepted and not stored',
    subject,
    schema: Posted,
    example: { review_id: 'rv-1', rating: 4, posted_at: '2026-07-20T01:00:00Z', customer_ref: 'cus_77' },
    apply: applyPosted,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.review.revised',
    summary: 'A buyer has changed the stars; the newest revision holds',
    subject,
    schema: Revised,
    example: { review_id: 'rv-1', rating: 5, revised_at: '2026-07-21T01:00:00Z' },
    apply: applyRevised,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.review.removed',
    summary: 'The marketplace has taken a rating away, for good',
    subject,
    schema: Removed,
    example: { review_id: 'rv-1', reason: 'fake' },
    apply: applyRemoved,
  }),
];
