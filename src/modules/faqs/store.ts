import { bigint, instant, integer, json, nullable, text, textOf } from '../../platform/db/columns.ts';
import { lockName } from '../../platform/db/lock-name.ts';
import { allOf, type Part, part, statement } from '../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { FAQ_SCOPES, FAQ_STATUSES, PUBLICATIONS } from './domain/faq-machine.ts';

/** What a decision of the marketplace says about a version. */
interface Reason {
  readonly code: string;
  readonly detail: string | null;
}

export const faqs = defineTable('faq', 'faq_id', {
  scope: textOf<(typeof FAQ_SCOPES)[number]>(),
  /** The product's id, or the brand in small letters. */
  target: text,
  product_id: nullable(text),
  brand_name: nullable(text),
  locale: text,
  question: text,
  answer: text,
  position: integer,
  question_key: text,
  text_version: integer,
  status: textOf<(typeof FAQ_STATUSES)[number]>(),
  publication: textOf<(typeof PUBLICATIONS)[number]>(),
  live_version: nullable(integer),
  submitted_version: nullable(integer),
  submitted_chars: integer,
  live_before: nullable(integer),
  decided_at: nullable(instant),
  decided_version: nullable(bigint),
  reasons: json<readonly Reason[]>(),
});
export type FaqRow = RowIn<typeof faqs>;

export const faqVersions = defineTable('faq_version', ['faq_id', 'version'], {
  faq_id: text,
  version: integer,
  question: text,
  answer: text,
  position: integer,
  member_id: text,
  created_at: instant,
});

/** A page of the versions of a FAQ, newest first. */
export const versionsOf = (
  at: SellerDb,
  faqId: string,
  page: Pick<Parameters<typeof faqVersions.page>[1], 'after' | 'limit'>,
) => faqVersions.page(at, { ...page, where: part`faq_id = ${faqId}`, order: ['version'], descending: true });

type Target = Pick<FaqRow, 'scope' | 'target' | 'locale'>;
const isFor = ({ scope, target, locale }: Target): Part =>
  part`scope = ${scope} and target = ${target} and locale = ${locale}`;

/** Locks the FAQs of a product or brand, so that a count of them holds until the transaction ends. */
export async function lockTarget({ db, seller_id }: SellerDb, { scope, target, locale }: Target) {
  const name = `faq/${seller_id}/${scope}/${locale}/${target}`;
  await lockName(db, name);
}

export const sameQuestion = (
  at: SellerDb,
  faq: Target & Pick<FaqRow, 'faq_id' | 'question_key'>,
): Promise<FaqRow | undefined> =>
  faqs.one(
    at,
    part`${isFor(faq)} and question_key = ${faq.question_key} and status <> 'archived'
           and faq_id <> ${faq.faq_id}`,
  );

/** The other published FAQs of a target: how many, and their characters. */
export async function publishedBeside({ db, seller_id }: SellerDb, faq: Target & Pick<FaqRow, 'faq_id'>) {
  const row = await db.one(statement({ used: integer, chars: integer })`
    select count(*)::integer as used,
           coalesce(sum(submitted_chars), 0)::integer as chars
      from faq
     where seller_id = ${seller_id}
       and ${isFor(faq)}
       and status = 'published'
       and faq_id <> ${faq.faq_id}`);
  return row ?? { used: 0, chars: 0 };
}

/** Whether the seller has a product that is not archived. */
export async function hasProduct({ db, seller_id }: SellerDb, productId: string): Promise<boolean> {
  const row = await db.one(statement({ product_id: text })`
    select product_id
      from v_products_brand
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
  return row !== undefined;
}

/** A brand of the seller's products, in the spelling of the oldest of them. */
export const findBrand = ({ db, seller_id }: SellerDb, brand: string) =>
  db.one(statement({ brand: text, target: text })`
    select brand,
           lower(btrim(brand)) as target
      from v_products_brand
     where seller_id = ${seller_id}
       and lower(btrim(brand)) = lower(btrim(${brand}))
     order by product_id
     limit 1`);

interface Asked {
  readonly status?: string | undefined;
  readonly brand?: string | undefined;
  readonly updated_since?: string | undefined;
}
/**
 * Conditions of the list for parameters that are not columns. Archived FAQs are listed only if the request
 * asks for them.
 */
export const listed = ({ status, brand, updated_since }: Asked): Part =>
  allOf(
    status === undefined && updated_since === undefined && part`status <> 'archived'`,
    brand !== undefined && part`scope = 'brand' and target = lower(btrim(${brand}))`,
    updated_since !== undefined && part`updated_at >= ${updated_since}`,
  );
