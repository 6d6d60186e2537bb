/** FAQs: answers of the seller that stand beside a product or a brand. See docs/design/faqs.md. */
import { defineModule } from '../../kernel/route.ts';
import { faqMachine } from './domain/faq-machine.ts';
import { faqEvents } from './events.ts';
import { faqDecided } from './intake/decided.ts';
import { faqJobs } from './jobs.ts';
import { faqRoutes } from './routes.ts';

export const faqsModule = defineModule({
  name: 'faqs',
  base: '/faqs',
  title: 'FAQ',
  summary: 'Product and brand FAQs',
  availability: 'available',
  ids: ['faq_'],
  machines: [faqMachine],
  routes: faqRoutes,
  events: Object.values(faqEvents),
  marketplaceEvents: [faqDecided],
  jobs: faqJobs,
});
