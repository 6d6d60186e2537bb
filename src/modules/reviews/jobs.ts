/** Deletes old texts of private feedback. */
import { acting } from '../../platform/acting.ts';
import { conversationSettings } from '../../platform/attachments/settings.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { forgetTexts, sellersWithOldTexts } from './store/ratings.ts';

const DAY_MS = 86_400_000;

export const forgetFeedback = defineJob({
  kind: 'reviews.forget_texts',
  recurring: true,
  catchesUp: true,
  async handler(services, _job, signal) {
    const { now, config } = services;
    const kept = conversationSettings.of(config).CONVERSATION_RETENTION_DAYS * DAY_MS;
    const before = new Date(now() - kept).toISOString();
    const sellers = await services.withSystem('retention', 'read', (db) => sellersWithOldTexts(db, before));
    for (const { seller_id } of sellers) {
      if (signal.aborted) break;
      await services.withSellerLong(seller_id, 'write', (db) => {
        const ctx = acting(services, { db, seller_id });
        return forgetTexts(ctx, before, { reason: 'retention', at: ctx.at() });
      });
    }
    return { againAt: now() + DAY_MS };
  },
});
