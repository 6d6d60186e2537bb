import Type from 'typebox';
import { coreErrors, requireFound } from '../../kernel/errors.ts';
import { moveErrors } from '../../kernel/moves.ts';
import { described, Instant } from '../../kernel/schema.ts';
import { reads } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import { resource } from '../../platform/rest/resource.ts';
import { archiveFaq, createFaq, editFaq, publishFaq, unpublishFaq } from './actions/faqs.ts';
import { faqErrors } from './errors.ts';
import { faqEvents } from './events.ts';
import {
  FAQ_EXAMPLE,
  Faq,
  FaqChange,
  FaqInput,
  FaqVersion,
  INPUT_EXAMPLE,
  locale,
  publication,
  scope,
  status,
  toWire,
  VERSION_EXAMPLE,
} from './schemas.ts';
import { faqs, listed, versionsOf } from './store.ts';

const routes = resource({
  id: 'faqs',
  one: 'FAQ',
  kind: 'faq_',
  area: 'catalogue',
  table: faqs,
  schema: Faq,
  example: FAQ_EXAMPLE,
  view: toWire,
});

const versions = pageRoute({
  id: 'faqs.versions.list',
  path: '/{faq_id}/versions',
  summary: 'List the versions of a FAQ',
  description: 'Newest first. A version never changes.',
  access: reads('catalogue'),
  params: Type.Object({ faq_id: Type.String({ description: 'Id of the FAQ, `faq_…`' }) }),
  schema: FaqVersion,
  example: VERSION_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { after, limit }, { faq_id = '' }) => {
    requireFound(await faqs.find(ctx, { faq_id }));
    return versionsOf(ctx, faq_id, { after, limit });
  },
  position: ({ version }) => [version],
  view: ({ faq_id: _, ...row }) => row,
});

export const faqRoutes = [
  routes.list({
    description: 'By product or brand, language and position. Archived ones are left out by default.',
    order: ['target', 'locale', 'position'],
    filters: {
      scope: Type.Optional(scope),
      product_id: Type.Optional(Type.String({ maxLength: 100, description: 'FAQs of this product' })),
      brand: Type.Optional(Type.String({ maxLength: 200, description: 'FAQs of this brand' })),
      locale: Type.Optional(described('FAQs in this language, BCP 47 in its canonical form', locale)),
      status: Type.Optional(status),
      publication: Type.Optional(publication),
      updated_since: Type.Optional(
        Instant({ description: 'FAQs changed at or after this instant, also archived ones' }),
      ),
    },
    where: listed,
  }),
  routes.get(),
  routes.create({
    description: 'It is a draft until it is published.',
    body: FaqInput,
    example: INPUT_EXAMPLE,
    errors: [coreErrors.not_found, faqErrors.question_exists],
    run: createFaq,
  }),
  routes.update({
    description: 'The texts become a new version; publish it to show it to buyers.',
    body: FaqChange,
    example: { answer: 'Yes, on either rack.' },
    errors: [faqErrors.question_exists, moveErrors.invalid_transition],
    run: editFaq,
  }),
  routes.delete({ description: 'The FAQ is archived; buyers no longer see it.', remove: archiveFaq }),
  routes.move({
    verb: 'publish',
    summary: 'Publish the newest version of a FAQ',
    description:
      'Sends the newest version to the marketplace. The version that buyers see stays until the marketplace has decided.',
    errors: [faqErrors.faq_limit, moveErrors.invalid_transition],
    emits: faqEvents.submitted,
    run: publishFaq,
  }),
  routes.move({
    verb: 'unpublish',
    summary: 'Take a FAQ down',
    description: 'It is a draft again.',
    errors: [moveErrors.invalid_transition],
    emits: faqEvents.unpublished,
    run: unpublishFaq,
  }),
  versions,
];
