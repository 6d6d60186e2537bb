import { defineJob } from '../../platform/jobs/define-job.ts';
import { deleteOldAnswers } from './store/abn-answers.ts';

const DAY_MS = 24 * 3_600_000;

export const sellerJobs = [
  defineJob({
    kind: 'sellers.forget_abn_answers',
    recurring: true,
    catchesUp: true,
    handler: async ({ withSystem, now, log }) => {
      const deleted = await withSystem('retention', 'single', (db) => deleteOldAnswers(db, now()));
      log.info({ deleted }, 'old answers of the business register deleted');
      return { againAt: now() + DAY_MS };
    },
  }),
];
