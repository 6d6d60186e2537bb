import { defineErrors } from '../../kernel/errors.ts';

export const kycErrors = defineErrors({
  case_not_open: {
    status: 409,
    detail: 'The marketplace asks for no documents here now: the case is not open, or the item is accepted.',
    facts: { status: 'in_review' },
  },
  document_limit: {
    status: 409,
    detail: 'The case has 20 documents; delete one that is not needed first.',
    facts: { limit: 20 },
  },
  replacement_limit: {
    status: 409,
    detail:
      'Replaced documents are kept for 30 days, and the case has 20 of them; delete the document before you send another in its place.',
    facts: { limit: 20 },
  },
  items_missing: {
    status: 409,
    detail:
      'Items without complete documents are listed in "items"; send their documents, then submit again. If none is listed, the marketplace has not named them yet.',
    facts: { items: ['kyi_01j0000000000000000000000'] },
  },
});
