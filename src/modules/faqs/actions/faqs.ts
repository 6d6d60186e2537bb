/** Writes of FAQs: their texts in versions, and their publication. */

import { checkSellerText } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { fail, invalid, missing } from '../../../kernel/errors.ts';
import { foldText } from '../../../kernel/fold-text.ts';
import { moveRefused, requireMove } from '../../../kernel/moves.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { policyAt } from '../../../platform/service-policy/policies.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { faqMachine } from '../domain/faq-machine.ts';
import { faqErrors } from '../errors.ts';
import { faqEvents } from '../events.ts';
import { type FaqInput, toWire } from '../schemas.ts';
import {
  type FaqRow,
  faqs,
  faqVersions,
  findBrand,
  hasProduct,
  lockTarget,
  publishedBeside,
  sameQuestion,
} from '../store.ts';

/** The limits of Google Merchant Center for a product. */
const PUBLISHED_MAX = 30;
const CHARS_MAX = 10_000;

const problem = (field: string, type: string, msg: string, input?: unknown) =>
  invalid([{ loc: ['body', field], msg, type, ...(input === undefined ? {} : { input }) }]);

/** A language tag in its canonical form; undefined if it is none. */
function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The texts as they are stored. @throws ApiError 422 for contact data, numbers of cards and control characters */
async function cleanTexts(
  { db, now }: HandlerCtx,
  { question, answer }: Pick<FaqRow, 'question' | 'answer'>,
): Promise<Pick<FaqRow, 'question' | 'answer'>> {
  const known = { strings: [], hosts: (await policyAt(db, now())).allowed_hosts };
  return {
    question: checkSellerText(question, ['body', 'question'], { known }),
    answer: checkSellerText(answer, ['body', 'answer'], { known }),
  };
}
export const charsOf = ({ question, answer }: Pick<FaqRow, 'question' | 'answer'>): number =>
  [...question, ...answer].length;
/** Readers take two questions with the same key for one. */
const keyOf = (question: string): string => foldText(question).replaceAll(/\s+/g, ' ');

/** @throws ApiError 404 of the product, 422 `missing`, `extra_forbidden`, `brand_unknown` */
async function targetOf(ctx: HandlerCtx, { scope, product_id, brand }: FaqInput) {
  const other = scope === 'product' ? 'brand' : 'product_id';
  const named = scope === 'product' ? product_id : brand;
  const field = scope === 'product' ? 'product_id' : 'brand';
  if (named === undefined) throw problem(field, 'missing', `A FAQ of the scope ${scope} names its ${field}.`);
  if ((scope === 'product' ? brand : product_id) !== undefined)
    throw problem(other, 'extra_forbidden', `A FAQ of the scope ${scope} has no ${other}; leave it out.`);
  if (scope === 'product') {
    if (!(await hasProduct(ctx, named))) throw missing(`product ${named} that is not archived`);
    return { scope, target: named, product_id: named, brand_name: null };
  }
  const found = await findBrand(ctx, named);
  if (found === undefined) {
    const msg = 'No product of yours that is not archived has this brand; send a brand of your catalogue.';
    throw problem('brand', 'brand_unknown', msg, named);
  }
  return { scope, target: found.target, product_id: null, brand_name: found.brand };
}

/** Locks the target. @throws ApiError 409 `question_exists` */
async function lockForQuestion(ctx: HandlerCtx, row: Parameters<typeof sameQuestion>[1]): Promise<void> {
  await lockTarget(ctx, row);
  const same = await sameQuestion(ctx, row);
  if (same !== undefined) throw fail(faqErrors.question_exists, { facts: { faq_id: same.faq_id } });
}

async function keepVersion(ctx: HandlerCtx, row: FaqRow): Promise<void> {
  const { faq_id, text_version: version, question, answer, position } = row;
  const { member_id } = ctx.seller;
  await faqVersions.insert(ctx, {
    ...{ faq_id, version, question, answer, position, member_id },
    created_at: ctx.at(),
  });
}

const UNPUBLISHED = {
  publication: 'not_published' as const,
  live_version: null,
  live_before: null,
  submitted_chars: 0,
  reasons: [],
};

export async function createFaq(
  ctx: HandlerCtx,
  body: FaqInput,
  fresh: Pick<FaqRow, 'faq_id' | 'version' | 'created_at' | 'updated_at'>,
): Promise<FaqRow> {
  const locale = canonicalLocale(body.locale ?? 'en-AU');
  if (locale === undefined)
    throw problem('locale', 'locale_invalid', 'Send a language tag of BCP 47, such as en-AU.', body.locale);
  const { question, answer } = await cleanTexts(ctx, body);
  const row: FaqRow = {
    ...(await targetOf(ctx, body)),
    ...{ locale, question, answer, position: body.position ?? 0 },
    question_key: keyOf(question),
    text_version: 1,
    status: 'draft',
    ...UNPUBLISHED,
    submitted_version: null,
    decided_at: null,
    decided_version: null,
    ...fresh,
  };
  await lockForQuestion(ctx, row);
  await keepVersion(ctx, row);
  return row;
}

export async function editFaq(
  ctx: HandlerCtx,
  before: FaqRow,
  body: Partial<Pick<FaqRow, 'question' | 'answer' | 'position'>>,
): Promise<Partial<FaqRow>> {
  requireMove(faqMachine, 'edit', before.status);
  const { question, answer } = await cleanTexts(ctx, { ...before, ...body });
  const change = {
    question,
    answer,
    position: body.position ?? before.position,
    question_key: keyOf(question),
  };
  const isSame =
    question === before.question && change.answer === before.answer && change.position === before.position;
  if (isSame) return {};
  const after = { ...before, ...change, text_version: before.text_version + 1 };
  await lockForQuestion(ctx, after);
  await keepVersion(ctx, after);
  return { ...change, text_version: after.text_version };
}

/** Submits the newest version. @throws ApiError 409 `faq_limit`, `invalid_transition` */
export async function publishFaq(ctx: HandlerCtx, row: FaqRow): Promise<Partial<FaqRow>> {
  requireMove(faqMachine, 'publish', row.status);
  if (row.status === 'published' && row.submitted_version === row.text_version)
    throw moveRefused(faqMachine, 'publish', row.status);
  if (row.product_id !== null && !(await hasProduct(ctx, row.product_id)))
    throw missing(`product ${row.product_id} that is not archived`);
  await lockTarget(ctx, row);
  const { used, chars } = await publishedBeside(ctx, row);
  if (used >= PUBLISHED_MAX) throw fail(faqErrors.faq_limit, { facts: { limit: PUBLISHED_MAX, used } });
  // What buyers see stays until the marketplace has decided, and after a rejection.
  const { faq_id, live_version: version } = row;
  const live = version === null ? undefined : await faqVersions.find(ctx, { faq_id, version });
  const submitted_chars = Math.max(charsOf(row), live === undefined ? 0 : charsOf(live));
  if (chars + submitted_chars > CHARS_MAX) {
    const detail = `The published FAQs of a product or brand have at most ${CHARS_MAX} characters together in a language; shorten or unpublish one.`;
    throw fail(faqErrors.faq_limit, { detail, facts: { limit: CHARS_MAX, used: chars } });
  }
  return {
    status: 'published',
    publication: 'pending',
    submitted_version: row.text_version,
    submitted_chars,
    live_before: row.live_version,
    decided_at: null,
    decided_version: null,
    reasons: [],
  };
}

/** @throws ApiError 409 `invalid_transition` */
export function unpublishFaq(_ctx: HandlerCtx, row: FaqRow): Partial<FaqRow> {
  requireMove(faqMachine, 'unpublish', row.status);
  return { status: 'draft', ...UNPUBLISHED };
}

/** Archives a FAQ. One that is archived stays as it is. */
export async function archiveFaq(ctx: Acting, row: FaqRow): Promise<void> {
  if (row.status === 'archived') return;
  const isOut = row.live_version !== null || row.publication === 'pending';
  const after = await writeVersion(faqs, ctx, row, { status: 'archived', ...UNPUBLISHED });
  if (isOut) await ctx.emit(faqEvents.unpublished.of(toWire(after)));
}
