import Type, { type Static } from 'typebox';
import { allows, described, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { trackedExample, trackedSchema } from '../../kernel/tracked.ts';
import { FAQ_SCOPES, FAQ_STATUSES, PUBLICATIONS } from './domain/faq-machine.ts';
import type { FaqRow } from './store.ts';

const TEXT_CHARS_MAX = 1_000;
const POSITION_MAX = 1_000;

const question = Type.String({
  maxLength: TEXT_CHARS_MAX,
  ...allows('^\\s*\\S[\\s\\S]{3,}\\S\\s*$', 'A question has at least 5 characters.'),
  description: 'The question, as plain text',
});
const answer = Type.String({
  maxLength: TEXT_CHARS_MAX,
  ...allows('^\\s*\\S[\\s\\S]*\\S\\s*$', 'An answer has at least 2 characters.'),
  description: 'The answer, as plain text',
});
const position = Type.Integer({
  minimum: 0,
  maximum: POSITION_MAX,
  description: 'Its place among the FAQs of its product or brand; default: 0',
});
export const locale = Type.String({ maxLength: 35, description: 'Language, BCP 47; default: en-AU' });
export const scope = StringEnum(FAQ_SCOPES, {
  title: 'FaqScope',
  description: 'Whether it is about a product, or about all products of a brand',
});
export const status = StringEnum(FAQ_STATUSES, {
  title: 'FaqStatus',
  description: 'Whether the seller wants buyers to see it',
});
export const publication = StringEnum(PUBLICATIONS, {
  title: 'FaqPublication',
  description: 'What the marketplace has decided about the submitted version',
});
const brand = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The brand that it is about, of which the seller has products',
});
const product_id = Type.String({ maxLength: 100, description: 'Product that it is about' });

export const FaqInput = Type.Object(
  {
    scope,
    product_id: Type.Optional(described('With the scope `product`', product_id)),
    brand: Type.Optional(described('With the scope `brand`', brand)),
    question,
    answer,
    locale: Type.Optional(locale),
    position: Type.Optional(position),
  },
  { title: 'FaqInput', description: 'A new question and answer.' },
);
export type FaqInput = Static<typeof FaqInput>;

export const FaqChange = Type.Partial(Type.Object({ question, answer, position }), {
  title: 'FaqChange',
  description: 'The fields to change; they become a new version.',
  minProperties: 1,
});

const number = (description: string) => Type.Integer({ minimum: 1, description });
export const Faq = trackedSchema(
  'faq_id',
  { kind: 'faq_', one: 'FAQ', title: 'Faq', description: 'A question with its answer.' },
  {
    scope,
    product_id: Nullable(product_id),
    brand: Nullable(brand),
    locale,
    question,
    answer,
    position,
    text_version: number('Counts the versions of question, answer and position'),
    status,
    publication,
    live_version: Nullable(number('The version that buyers see; null: none')),
    submitted_version: Nullable(number('The version that was submitted last; null: none')),
    reasons: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'The marketplace’s code' }),
          detail: Nullable(Type.String({ description: 'Its explanation' })),
        },
        { title: 'FaqReason', description: 'Why a version was rejected.' },
      ),
      { description: 'Why the submitted version was rejected' },
    ),
  },
);
type WireFaq = Static<typeof Faq>;

export const INPUT_EXAMPLE: FaqInput = {
  scope: 'product',
  product_id: 'prd_01j0000000000000000000000',
  question: 'Is the mug safe for the dishwasher?',
  answer: 'Yes, on the upper rack.',
  position: 1,
};
export const FAQ_EXAMPLE: WireFaq = trackedExample('faq_id', 'faq_', {
  scope: 'product' as const,
  product_id: 'prd_01j0000000000000000000000',
  brand: null,
  locale: 'en-AU',
  question: 'Is the mug safe for the dishwasher?',
  answer: 'Yes, on the upper rack.',
  position: 1,
  text_version: 1,
  status: 'draft' as const,
  publication: 'not_published' as const,
  live_version: null,
  submitted_version: null,
  reasons: [],
});

export const FaqVersion = Type.Object(
  {
    version: number('Number of the version'),
    question,
    answer,
    position,
    member_id: Type.String(),
    created_at: Instant(),
  },
  { title: 'FaqVersion', description: 'A version of a FAQ; it never changes.' },
);
export const VERSION_EXAMPLE: Static<typeof FaqVersion> = {
  version: 1,
  question: FAQ_EXAMPLE.question,
  answer: FAQ_EXAMPLE.answer,
  position: 1,
  member_id: 'mbr_01j0000000000000000000000',
  created_at: FAQ_EXAMPLE.created_at,
};

/** A FAQ as the API shows it. */
export const toWire = (row: FaqRow): WireFaq => ({
  faq_id: row.faq_id,
  scope: row.scope,
  product_id: row.product_id,
  brand: row.brand_name,
  locale: row.locale,
  question: row.question,
  answer: row.answer,
  position: row.position,
  text_version: row.text_version,
  status: row.status,
  publication: row.publication,
  live_version: row.live_version,
  submitted_version: row.submitted_version,
  reasons: row.reasons.map((reason) => ({ ...reason })),
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
