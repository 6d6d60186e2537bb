/** Versions that a change has replaced. */
import { textArray } from '../../../platform/db/arrays.ts';
import { bigint, instant, integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import { PAST_REVIEWS_MAX, type PastReview, type Review } from '../domain/plan/reviewed-version.ts';
import type { ReviewedVersion } from '../domain/product.ts';

const COLUMNS = {
  product_id: text,
  first_version: integer,
  last_version: integer,
  submitted_at: instant,
  replaced_at: instant,
  content: json<ReviewedVersion>(),
};
const NAMES = Object.keys(COLUMNS);

/** Adds versions with the order of the last decision about them, and drops the oldest of a product that has too many. */
export async function insertPastReviews(
  { db, seller_id }: SellerDb,
  rows: readonly PastReview[],
): Promise<void> {
  if (rows.length === 0) return;
  const { from, element } = asRelation(COLUMNS, rows);
  await db.run(command`
    insert into product_past_review (seller_id, ${raw(NAMES.join(', '))}, decided_at, decided_version)
    select ${seller_id}, ${raw(NAMES.map(element).join(', '))}, d.*
      from ${from} as u (${raw(NAMES.join(', '))})
     cross join lateral (
       select p.curated_at, p.curated_version
         from product p
        where p.seller_id = ${seller_id}
          and p.product_id = u.product_id
       offset 0) as d`);
  await db.run(command`
    delete from product_past_review old
     where old.seller_id = ${seller_id}
       and old.product_id = any(${textArray(rows.map(({ product_id }) => product_id))})
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
): Promise<readonly Review[]> {
  const columns = { ...COLUMNS, decided_at: nullable(instant), decided_version: nullable(bigint) };
  const rows = await db.all(statement(columns)`
    select ${raw(Object.keys(columns).join(', '))}
      from product_past_review
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
  return rows.map(({ decided_at, decided_version, ...row }) => ({
    ...row,
    decided: { at: decided_at, version: decided_version },
  }));
}
