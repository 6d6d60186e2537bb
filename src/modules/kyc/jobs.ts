/** Changes a case when its time has come: its deadline, its expiry, and the end of its documents. */
import type { Acting } from '../../kernel/context.ts';
import { acting } from '../../platform/acting.ts';
import { eraseAttachment } from '../../platform/attachments/attachments.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { askByForm, expiryOf, nextInstant, REMIND_DAYS, TIMER, writeCase } from './actions/change-case.ts';
import { noticeOf } from './actions/show-case.ts';
import { expiring, moreInfoRequired } from './events.ts';
import { kycSettings } from './settings.ts';
import {
  type CaseRow,
  expireDocuments,
  expiredDocuments,
  findCase,
  idsOf,
  items,
  itemsOf,
  markDeleted,
  sellersToAsk,
} from './store/cases.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const AT_ONCE = 100;

/** Ends the approval: every item is asked for again, and no document of it counts any more. */
async function expire(ctx: Acting, row: CaseRow): Promise<CaseRow> {
  const asked = (await itemsOf(ctx, row)).map((item) => ({
    ...item,
    status: 'missing' as const,
    reasons: [{ code: 'document_expired' as const, detail: null }],
  }));
  await items.upsertMany(ctx, asked);
  await expireDocuments(ctx, idsOf(asked), ctx.at());
  const after = await writeCase(ctx, row, { status: 'more_info_required', deadline: null });
  await ctx.emit(moreInfoRequired.of(noticeOf(after, asked), { version: after.version }));
  return after;
}

async function remind(ctx: Acting, row: CaseRow, days: number): Promise<CaseRow> {
  const after = await writeCase(ctx, row, { reminded: days });
  await ctx.emit(expiring.of(noticeOf(after, [], days), { version: after.version }));
  return after;
}

/** Does the work that is due. It is safe to run twice. */
async function passTime(ctx: Acting, row: CaseRow): Promise<CaseRow> {
  const now = ctx.now();
  if (row.status !== 'approved' || row.expires_on === null) return writeCase(ctx, row, {});
  const expiry = expiryOf(row.expires_on);
  if (now >= expiry) return expire(ctx, row);
  const days = REMIND_DAYS.findLast((before) => now >= expiry - before * DAY_MS);
  return days === undefined || (row.reminded !== null && row.reminded <= days) ? row : remind(ctx, row, days);
}

const timer = defineJob({
  kind: TIMER,
  recurring: false,
  handler: async (services, { seller_id }) => {
    if (seller_id === null) return undefined;
    const next = await services.withSellerLong(seller_id, 'write', async (db) => {
      const ctx = acting(services, { db, seller_id });
      const row = await findCase(ctx, true);
      return row && nextInstant(await passTime(ctx, row), ctx.now());
    });
    return next === undefined ? undefined : { againAt: next };
  },
});

/** Asks sellers that have no case yet, or another legal form, where every seller is verified. */
async function requireAll(services: Services): Promise<boolean> {
  const sellers = await services.withSystem('jobs', 'read', (db) => sellersToAsk(db, AT_ONCE));
  for (const { seller_id } of sellers)
    await services.withSellerLong(seller_id, 'write', (db) => askByForm(acting(services, { db, seller_id })));
  return sellers.length === AT_ONCE;
}

const require = defineJob({
  kind: 'kyc.require',
  recurring: true,
  handler: async (services, _job, signal) => {
    if (kycSettings.of(services.config).KYC_REQUIRED === 'on')
      while (!signal.aborted && (await requireAll(services)));
    return runAgain(services, MINUTE_MS);
  },
});

const forget = defineJob({
  kind: 'kyc.forget_documents',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    const { now, config, files } = services;
    const closedBefore = now() - kycSettings.of(config).KYC_RETENTION_DAYS * DAY_MS;
    const [at, before] = [now(), closedBefore].map((ms) => new Date(ms).toISOString()) as [string, string];
    for (let found = AT_ONCE; found === AT_ONCE && !signal.aborted; )
      found = await services.withSystemLong('retention', 'write', async (db) => {
        const rows = await expiredDocuments(db, at, before, AT_ONCE);
        for (const { seller_id, attachment_id } of rows) {
          await eraseAttachment({ db, seller_id }, files, attachment_id);
          await markDeleted({ db, seller_id }, attachment_id);
        }
        return rows.length;
      });
    return { againAt: now() + DAY_MS };
  },
});

export const kycJobs = [timer, require, forget];
