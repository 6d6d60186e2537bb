import { purgeExpiredFiles } from '../../../platform/files/file-lifetimes.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';

const PURGE_EVERY_MS = 6 * 3_600_000;

/** Deletes the expired bytes of images that no product shows. */
export const purgeImages = defineJob({
  kind: 'products.purge_images',
  recurring: true,
  async handler(services) {
    const at = new Date(services.now()).toISOString();
    await services.longSystem('retention', 'read', (db) => purgeExpiredFiles(db, 'image', at));
    return { againAt: services.now() + PURGE_EVERY_MS };
  },
});
