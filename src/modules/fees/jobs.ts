/** Tells the sellers of published schedules. */
import { acting } from '../../platform/acting.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { feeScheduleChanged } from './events.ts';
import { scheduleJson } from './schemas/schedule.ts';
import { nextToAnnounce, sellersToTell, writeAnnounced } from './store/announcements.ts';

const LOOK_EVERY_MS = 60_000;
const SELLERS_AT_ONCE = 500;

/**
 * Tells the next sellers of the oldest schedule that not all of them know, in one transaction: after a crash none is
 * told twice.
 *
 * @returns false when every seller knows every schedule
 */
function announceSome(services: Services): Promise<boolean> {
  return services.withSystemLong('jobs', 'write', async (db) => {
    const found = await nextToAnnounce(db);
    if (found === undefined) return false;
    const { schedule, through } = found;
    const sellers = await sellersToTell(db, schedule.currency, through, SELLERS_AT_ONCE);
    const event = feeScheduleChanged.of(scheduleJson(schedule, undefined));
    for (const seller_id of sellers) await acting(services, { db, seller_id }).emit(event);
    const isLast = sellers.length < SELLERS_AT_ONCE;
    await writeAnnounced(db, schedule.version, {
      through: sellers.at(-1) ?? through,
      at: isLast ? new Date(services.now()).toISOString() : null,
    });
    return true;
  });
}

const announceSchedules = defineJob({
  kind: 'fees.announce_schedules',
  recurring: true,
  async handler(services, _job, signal) {
    while (!signal.aborted && (await announceSome(services)));
    return runAgain(services, LOOK_EVERY_MS);
  },
});

export const feeJobs = [announceSchedules];
