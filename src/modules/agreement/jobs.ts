/** Asks sellers to accept the newest terms, and reminds them. */
import { acting } from '../../platform/acting.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import {
  type AgreementDue,
  lockSellersBehind,
  lockSellersToRemind,
  type NextNotice,
  nextAgreementNotice,
  writeAgreementDue,
  writeNextNotice,
} from '../sellers/index.ts';
import { daysLeft, dueAt, firstNotice, nextNotice } from './domain/duty.ts';
import { publishedEvent, reminderEvent } from './events.ts';
import { whoAccepted } from './store/acceptances.ts';
import { newestVersion } from './store/versions.ts';

const LOOK_EVERY_MS = 60_000;
const SELLERS_AT_ONCE = 500;

const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/**
 * Asks the next sellers, also new ones, to accept the newest version. One transaction sends the event and records it,
 * so after a crash no seller gets it twice.
 *
 * @returns false when every seller was asked
 */
function askSome(services: Services): Promise<boolean> {
  return services.withSystemLong('jobs', 'write', async (db) => {
    const version = await newestVersion(db);
    if (version === undefined) return false;
    const sellers = await lockSellersBehind(db, version.version, SELLERS_AT_ONCE);
    // A seller that has accepted a version which came meanwhile must not be asked about this one.
    if ((await newestVersion(db))?.version !== version.version) return true;
    const ids = sellers.map(({ seller_id }) => seller_id);
    const accepted = await whoAccepted(db, ids, version.version);
    const now = services.now();
    const rows: AgreementDue[] = [];
    for (const { seller_id, status, registered_at } of sellers) {
      const [ever, newest] = [accepted.has(seller_id), accepted.get(seller_id) === true];
      const due = dueAt(version, { ever, newest }, registered_at);
      rows.push({
        seller_id,
        agreement_version: version.version,
        agreement_due_at: at(due),
        agreement_notice_at: at(due === null ? null : firstNotice(due, now)),
      });
      if (status !== 'closed') await acting(services, { db, seller_id }).emit(publishedEvent(version, due));
    }
    await writeAgreementDue(db, rows);
    return sellers.length === SELLERS_AT_ONCE;
  });
}

/**
 * Reminds the next sellers whose reminder is due. A seller that was not asked about the newest version yet is asked
 * first, for its due date is that of an older one. After an outage a seller gets only the last reminder.
 *
 * @returns false when every seller was reminded
 */
function remindSome(services: Services): Promise<boolean> {
  return services.withSystemLong('jobs', 'write', async (db) => {
    const version = await newestVersion(db);
    if (version === undefined) return false;
    const now = services.now();
    const sellers = await lockSellersToRemind(
      db,
      version.version,
      new Date(now).toISOString(),
      SELLERS_AT_ONCE,
    );
    const rows: NextNotice[] = [];
    for (const { seller_id, status, agreement_due_at } of sellers) {
      const due = Date.parse(agreement_due_at);
      rows.push({ seller_id, agreement_notice_at: at(nextNotice(due, now)) });
      const event = reminderEvent(version, due, daysLeft(due, now));
      if (status !== 'closed') await acting(services, { db, seller_id }).emit(event);
    }
    await writeNextNotice(db, rows);
    return sellers.length === SELLERS_AT_ONCE;
  });
}

const remind = defineJob({
  kind: 'agreement.remind',
  recurring: true,
  async handler(services, _job, signal) {
    while (!signal.aborted && (await askSome(services)));
    while (!signal.aborted && (await remindSome(services)));
    const next = await services.withSystem('jobs', 'read', nextAgreementNotice);
    const { againAt } = runAgain(services, LOOK_EVERY_MS);
    return { againAt: next === undefined ? againAt : Math.min(againAt, Date.parse(next)) };
  },
});

export const agreementJobs = [remind];
