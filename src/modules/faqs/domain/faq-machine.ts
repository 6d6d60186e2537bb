/** The states of a FAQ. Source: docs/design/faqs.md. */
import { defineMachine } from '../../../kernel/machine.ts';

export const FAQ_SCOPES = ['product', 'brand'] as const;
export const FAQ_STATUSES = ['draft', 'published', 'archived'] as const;
export const PUBLICATIONS = ['not_published', 'pending', 'live', 'rejected'] as const;

export const faqMachine = defineMachine({
  name: 'faq',
  title: 'Question and answer',
  states: FAQ_STATUSES,
  rows: [
    { event: 'create', from: [], to: ['draft'], by: 'seller', guard: null, emits: [] },
    {
      event: 'edit',
      from: ['draft', 'published'],
      to: ['draft', 'published'],
      by: 'seller',
      guard: 'the status stays; the live version stays live',
      emits: [],
    },
    {
      event: 'publish',
      from: ['draft', 'published'],
      to: ['published'],
      by: 'seller',
      guard: 'when published: a newer version; its publication becomes pending',
      emits: ['faq.submitted'],
    },
    {
      event: 'decide',
      from: ['published'],
      to: ['published'],
      by: 'marketplace',
      guard:
        'of the submitted version, newer than the known decision; its publication becomes live or rejected',
      emits: ['faq.live', 'faq.rejected'],
    },
    {
      event: 'unpublish',
      from: ['published'],
      to: ['draft'],
      by: 'seller',
      guard: null,
      emits: ['faq.unpublished'],
    },
    {
      event: 'archive',
      from: ['draft', 'published'],
      to: ['archived'],
      by: 'seller',
      guard: 'also when its product is archived; the event is sent if it was live or pending',
      emits: ['faq.unpublished'],
    },
  ],
});
