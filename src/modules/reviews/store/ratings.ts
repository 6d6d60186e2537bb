import type { Db } from '../../../kernel/context.ts';
import type { Erasing } from '../../../kernel/eraser.ts';
import {
  date,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type {
  FEEDBACK_STATUSES,
  FEEDBACK_TOPICS,
  RatingScope,
  RatingStatus,
  Revision,
} from '../domain/ratings.ts';

export const ratings = defineTable('rating', 'rating_id', {
  external_review_id: text,
  scope: textOf<RatingScope>(),
  product_id: nullable(text),
  order_id: nullable(text),
  buyer_id: nullable(text),
  stars: integer,
  posted_stars: integer,
  posted_at: instant,
  posted_on: date,
  status: textOf<RatingStatus>(),
  revisions: json<readonly Revision[]>(),
  /** How many revisions have changed the stars; a contest is about one of them. */
  revision: integer,
  digest: text,
});
export type RatingRow = RowIn<typeof ratings>;

/** Why and when a text was deleted. */
export interface Redacted {
  readonly reason: 'erasure' | 'retention';
  readonly at: string;
}

export const feedback = defineTable('feedback', 'feedback_id', {
  external_feedback_id: text,
  order_id: text,
  buyer_id: nullable(text),
  topic: textOf<(typeof FEEDBACK_TOPICS)[number]>(),
  text: nullable(text),
  masked: json<readonly string[]>(),
  redacted: nullable(json<Redacted>()),
  posted_at: instant,
  acknowledged_at: nullable(instant),
  acknowledged_by: nullable(text),
  status: textOf<(typeof FEEDBACK_STATUSES)[number]>(),
  /** The buyer has withdrawn it, so no decision about a contest brings it back. */
  withdrawn_at: nullable(instant),
  digest: nullable(text),
});
export type FeedbackRow = RowIn<typeof feedback>;

/** Whose reviews are erased; with the orders that earlier erasures have reached. */
type ErasingReviews = Pick<Erasing, 'buyer_id' | 'order_ids' | 'earlier_ids'>;

/** Locks the rating that the marketplace names; undefined if the seller has none. */
export const ratingNamed = (at: SellerDb, reviewId: string): Promise<RatingRow | undefined> =>
  ratings.one(at, part`external_review_id = ${reviewId} for update`);

export const feedbackNamed = (at: SellerDb, id: string): Promise<FeedbackRow | undefined> =>
  feedback.one(at, part`external_feedback_id = ${id} for update`);

const order = { order_id: text, buyer_id: nullable(text) };
export type NamedOrder = RowOf<typeof order>;
/** The order that an event names by our id or by the marketplace's. */
export const findOrder = ({ db, seller_id }: SellerDb, named: string) =>
  db.one(statement(order)`
    select order_id, buyer_id
      from v_orders_conversation
     where seller_id = ${seller_id}
       and (order_id = ${named} or external_order_id = ${named})
     limit 1`);

export async function hasProduct({ db, seller_id }: SellerDb, productId: string): Promise<boolean> {
  const row = await db.one(statement({ product_id: text })`
    select product_id
      from v_products_known
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
  return row !== undefined;
}

interface Since {
  readonly posted: string | undefined;
  readonly updated?: string | undefined;
}
const since = ({ posted, updated }: Since): Part =>
  allOf(
    posted !== undefined && part`posted_at >= ${posted}`,
    updated !== undefined && part`updated_at >= ${updated}`,
  );

interface RatingFilters {
  readonly scope?: string | undefined;
  readonly stars?: number | undefined;
  readonly product_id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly status?: string | undefined;
  readonly since?: string | undefined;
  readonly updated_since?: string | undefined;
}
type PageOf = Pick<Parameters<typeof ratings.page>[1], 'after' | 'limit'>;

const is = (column: Part, value: string | number | undefined) =>
  value !== undefined && part`${column} = ${value}`;

/** Newest first. */
export const pageOfRatings = (at: SellerDb, asked: RatingFilters, page: PageOf): Promise<RatingRow[]> =>
  ratings.page(at, {
    ...page,
    where: allOf(
      is(part`scope`, asked.scope),
      is(part`stars`, asked.stars),
      is(part`product_id`, asked.product_id),
      is(part`order_id`, asked.order_id),
      is(part`status`, asked.status),
      since({ posted: asked.since, updated: asked.updated_since }),
    ),
    order: ['rating_id'],
    descending: true,
  });

export const pageOfFeedback = (
  at: SellerDb,
  asked: Pick<RatingFilters, 'order_id' | 'status' | 'since'> & { readonly topic?: string | undefined },
  page: PageOf,
): Promise<FeedbackRow[]> =>
  feedback.page(at, {
    ...page,
    where: allOf(
      is(part`topic`, asked.topic),
      is(part`order_id`, asked.order_id),
      is(part`status`, asked.status),
      since({ posted: asked.since }),
    ),
    order: ['feedback_id'],
    descending: true,
  });

/** Locks the reviews of a buyer, also those that were erased before. */
const lockedOf = (id: Part, { buyer_id, order_ids, earlier_ids }: ErasingReviews): Part => part`
  (buyer_id = ${buyer_id} or order_id = any(${order_ids}) or ${id} = any(${earlier_ids}))
     order by ${id}
       for update`;

/** Takes what a buyer has written, and the pseudonym of the buyer, out of feedback. @returns the locked ids */
export async function eraseFeedback(
  { db, seller_id }: SellerDb,
  erasing: ErasingReviews,
  redacted: Redacted,
): Promise<string[]> {
  const rows = await db.all(feedback.select(seller_id, lockedOf(part`feedback_id`, erasing)));
  const ids = rows.map(({ feedback_id }) => feedback_id);
  await db.run(command`
    update feedback
       set text = null, masked = '[]', redacted = coalesce(redacted, ${JSON.stringify(redacted)}::jsonb),
           buyer_id = null, digest = null, version = version + 1, updated_at = ${redacted.at}
     where seller_id = ${seller_id}
       and feedback_id = any(${ids})
       and (text is not null or buyer_id is not null)`);
  return ids;
}

/** Takes the pseudonym of a buyer out of ratings, which stay. @returns the locked ids */
export async function detachRatings(
  { db, seller_id }: SellerDb,
  erasing: ErasingReviews,
  erasedAt: string,
): Promise<string[]> {
  const rows = await db.all(ratings.select(seller_id, lockedOf(part`rating_id`, erasing)));
  const ids = rows.map(({ rating_id }) => rating_id);
  await db.run(command`
    update rating
       set buyer_id = null, updated_at = ${erasedAt}
     where seller_id = ${seller_id}
       and rating_id = any(${ids})
       and buyer_id is not null`);
  return ids;
}

/** Sellers with texts of feedback that were recorded before an instant. */
export const sellersWithOldTexts = (db: Db, before: string, limit: number) =>
  db.all(statement({ seller_id: text, id: text })`
    select distinct seller_id, seller_id as id
      from feedback
     where created_at < ${before}
       and text is not null
     limit ${limit}`);

/** Deletes the texts that were recorded before an instant. */
export const forgetTexts = (at: SellerDb, before: string, redacted: Redacted) =>
  feedback.change(
    at,
    part`text = null, redacted = ${JSON.stringify(redacted)}::jsonb, version = version + 1,
     updated_at = ${redacted.at}`,
    part`created_at < ${before} and text is not null`,
  );
