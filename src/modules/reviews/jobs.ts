/** Deletes old texts of private feedback, of one seller after another. */
import { forgetTextsJob } from '../../platform/attachments/forget-texts.ts';
import { forgetTexts, sellersWithOldTexts } from './store/ratings.ts';

export const forgetFeedback = forgetTextsJob({
  kind: 'reviews.forget_texts',
  ended: sellersWithOldTexts,
  forget: async (ctx, _seller, before) => {
    await forgetTexts(ctx, before, { reason: 'retention', at: ctx.at() });
  },
});
