/** Versions that a change replaced before the marketplace decided about them. */
import { bigint, instant, integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import { PAST_REVIEWS_MAX, type PastReview } from '../domain/plan/reviewed-version.ts';
import type { ReviewedVersion } from '../domain/product.ts';
import type { DecisionOrder } from './curation.ts';

const COLUMNS = {
  product_id: text,
  first_version: integer,
  last_version: integer,
  submitted_at: instant,
  replaced_at: instant,
  content: nullable(json<ReviewedVersion>()),
  suspended_at: nullable(instant),
  suspended_version: nullable(bigint),
};
const pastReviews = defineTable('product_past_review', ['product_id', 'last_version'], COLUMNS);

/** Adds versions, and drops the oldest of a product that has too many. */
export async function insertPastReviews(at: SellerDb, rows: readonly PastReview[]): Promise<void> {
  if (rows.length === 0) return;
  await pastReviews.appendMany(at, rows);
  const { db, seller_id } = at;
  await db.run(command`
    delete from product_past_review old
     where old.seller_id = ${seller_id}
       and old.product_id = any(${rows.map(({ product_id }) => product_id)})
       and old.last_version <= (
         select kept.last_version
           from product_past_review kept
          where kept.seller_id = ${seller_id}
            and kept.product_id = old.product_id
          order by kept.last_version desc
         offset ${PAST_REVIEWS_MAX}
          limit 1)`);
}

export async function loadPastReviews(
  { db, seller_id }: SellerDb,
  productId: string,
): Promise<readonly PastReview[]> {
  return db.all(statement(COLUMNS)`
    select product_id, first_version, last_version, submitted_at, replaced_at, content,
           suspended_at, suspended_version
      from product_past_review
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
}

const ofProduct = (sellerId: string, productId: string): Part =>
  part`seller_id = ${sellerId} and product_id = ${productId}`;

/** Deletes what no decision needs any more: `version` or a later version is live. */
export async function deletePastReviews(
  { db, seller_id }: SellerDb,
  productId: string,
  version: number,
): Promise<void> {
  await db.run(command`
    delete from product_past_review
     where ${ofProduct(seller_id, productId)}
       and first_version <= ${version}`);
}

/** Keeps the order of a suspension that a decision about newer content has ended: it was about these versions too. */
export async function keepSuspension(
  { db, seller_id }: SellerDb,
  productId: string,
  { at, version }: DecisionOrder,
): Promise<void> {
  await db.run(command`
    update product_past_review
       set suspended_at = ${at}, suspended_version = ${version}
     where ${ofProduct(seller_id, productId)}
       and content is not null`);
}

/** Marks as decided. @param version of the content that was rejected; `null`: the product is suspended, so all */
export async function closePastReviews(
  { db, seller_id }: SellerDb,
  productId: string,
  version: number | null,
): Promise<void> {
  await db.run(command`
    update product_past_review
       set content = null
     where ${ofProduct(seller_id, productId)}
       and content is not null
       and (${version}::int is null or ${version}::int between first_version and last_version)`);
}
