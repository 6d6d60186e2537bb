import { defineEvent } from '../../kernel/events.ts';
import { FAQ_EXAMPLE, Faq } from './schemas.ts';

const shared = { schema: Faq, id: 'faq_id', example: FAQ_EXAMPLE } as const;

export const faqEvents = {
  submitted: defineEvent({
    ...shared,
    type: 'faq.submitted',
    summary: 'A version of a FAQ waits for the decision of the marketplace',
    marketplace: true,
  }),
  unpublished: defineEvent({
    ...shared,
    type: 'faq.unpublished',
    summary: 'The marketplace must take a FAQ down: it was unpublished or archived',
    marketplace: true,
  }),
  live: defineEvent({
    ...shared,
    type: 'faq.live',
    summary: 'Buyers see the submitted version of a FAQ',
    clears: { types: ['faq.rejected'] },
  }),
  rejected: defineEvent({
    ...shared,
    type: 'faq.rejected',
    example: { ...FAQ_EXAMPLE, status: 'published', publication: 'rejected', submitted_version: 1 },
    summary: 'The marketplace has rejected a version of a FAQ; the version before it stays live',
    notification: {
      severity: 'warning',
      title: 'The marketplace has rejected version {submitted_version} of a FAQ: {question}',
    },
  }),
};
