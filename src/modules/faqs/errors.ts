import { defineErrors } from '../../kernel/errors.ts';

export const faqErrors = defineErrors({
  question_exists: {
    status: 409,
    detail: 'The same question is there already; change that FAQ instead.',
    facts: { faq_id: 'faq_01j0000000000000000000000' },
  },
  faq_limit: {
    status: 409,
    detail: 'A product or brand has at most 30 published FAQs in a language; unpublish one first.',
    facts: { limit: 30, used: 30 },
  },
});
