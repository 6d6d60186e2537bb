import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { faqEvents } from './events.ts';
import { toWire } from './schemas.ts';
import { faqs } from './store.ts';

/** A product was archived or deleted with a FAQ that buyers could see. A trigger has archived the FAQ and added the job. */
const tellArchived = defineJob({
  kind: 'faqs.tell_archived',
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    if (seller_id === null) return undefined;
    await services.withSellerLong(seller_id, 'write', async (db) => {
      const ctx = acting(services, { db, seller_id });
      const row = await faqs.find(ctx, { faq_id: String(payload['faq_id']) });
      if (row !== undefined) await ctx.emit(faqEvents.unpublished.of(toWire(row)));
    });
    return undefined;
  },
});

export const faqJobs = [tellArchived];
