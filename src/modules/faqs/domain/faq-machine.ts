/** The states of a FAQ. Source: docs/design/faqs.md. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const FAQ_SCOPES = ['product', 'brand'] as const;
export const FAQ_STATUSES = ['draft', 'published', 'archived'] as const;
export const PUBLICATIONS = ['not_published', 'pending', 'live', 'rejected'] as const;

export const faqMachine = defineMachine({
  name: 'faq',
  title: 'Question and answer',
  states: FAQ_STATUSES,
  rows: [
    move('create', [], 'draft', 'seller'),
    move('edit', ['draft', 'published'], ['draft', 'published'], 'seller', {
      guard: 'the status stays; the live version stays live',
    }),
    move('publish', ['draft', 'published'], 'published', 'seller', {
      guard: 'when published: a newer version; its publication becomes pending',
      emits: ['faq.submitted'],
    }),
    move('decide', 'published', 'published', 'marketplace', {
      guard:
        'of the submitted version, newer than the known decision; its publication becomes live or rejected',
      emits: ['faq.live', 'faq.rejected'],
    }),
    move('unpublish', 'published', 'draft', 'seller', { emits: ['faq.unpublished'] }),
    move('archive', ['draft', 'published'], 'archived', 'seller', {
      guard: 'also when its product is archived; the event is sent if it was live or pending',
      emits: ['faq.unpublished'],
    }),
  ],
});
