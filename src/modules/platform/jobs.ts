/** Deletes expired records of requests, and finishes erasures. docs/operations.md lists how long each kind is kept. */
import { atMost } from '../../kernel/at-most.ts';
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../../platform/acting.ts';
import { deleteExpiredFiles, deleteUnused } from '../../platform/attachments/attachments.ts';
import { resealKeys } from '../../platform/attachments/reseal-keys.ts';
import { erasuresToFinish, finishErasure } from '../../platform/buyers/erase-buyer.ts';
import { systemNow } from '../../platform/db/clock.ts';
import { deleteExpired, type ExpiringTable } from '../../platform/db/retention.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest 25 months have 762 days, the longest year 366, the longest 7 years 2,557; the day itself is whole. */
const MONTHS_25_MS = 763 * DAY_MS;
const YEAR_MS = 367 * DAY_MS;
const YEARS_7_MS = 2_558 * DAY_MS;

interface Retention {
  readonly table: ExpiringTable;
  /** How long a row is kept after its expiry; for events, after their creation. */
  readonly graceMs: number;
}

const RETENTIONS: readonly Retention[] = [
  { table: 'idempotency_key', graceMs: 0 },
  // One day longer than the last token, so that the session of a token can still be found.
  { table: 'auth_session', graceMs: DAY_MS },
  { table: 'notification', graceMs: 0 },
  // The purchase of a label can be read for a while. The label itself keeps its price.
  { table: 'shipping_quote', graceMs: 90 * DAY_MS },
  { table: 'channel_authorisation', graceMs: DAY_MS },
  // docs/design/channels.md#retention
  { table: 'channel_delivery', graceMs: 400 * DAY_MS },
  { table: 'provider_callback', graceMs: 400 * DAY_MS },
  { table: 'channel_digest', graceMs: 30 * DAY_MS },
  { table: 'store_order', graceMs: 90 * DAY_MS },
  // Events about an erased buyer may come late (docs/design/buyers.md#erasure).
  { table: 'buyer_erasure', graceMs: 90 * DAY_MS },
  // The marketplace tells its events within days.
  { table: 'past_row', graceMs: 90 * DAY_MS },
  // 110 weeks are at least 25 months (docs/design/search-insights.md#retention).
  { table: 'search_report', graceMs: 770 * DAY_MS },
  // docs/design/sourcing.md#retention
  { table: 'rfq', graceMs: MONTHS_25_MS },
  // docs/design/supply.md#retention
  { table: 'purchase_order', graceMs: YEARS_7_MS },
  { table: 'dropship_order', graceMs: YEARS_7_MS },
  { table: 'supplier_item', graceMs: YEAR_MS },
  // docs/design/facts.md#retention
  { table: 'fact_sku_day', graceMs: 760 * DAY_MS },
  { table: 'fact_outage', graceMs: 400 * DAY_MS },
  // docs/design/quality.md#performance
  { table: 'quality_event', graceMs: MONTHS_25_MS },
  { table: 'quality_day', graceMs: MONTHS_25_MS },
  { table: 'quality_order', graceMs: MONTHS_25_MS },
  // As long as events can be pulled (docs/design/wire.md#events).
  { table: 'outbox', graceMs: 30 * DAY_MS },
];

/** On most days there is nothing to delete in most tables, and the job only waits for answers. */
const TABLES_AT_ONCE = 3;

const forgetFiles = (kind: string, deleteSome: typeof deleteUnused, everyMs: number): AnyJob =>
  defineJob({
    kind,
    recurring: true,
    catchesUp: true,
    handler: async ({ withSystem, now, log }, _job, signal) => {
      let total = 0;
      for (let more = true; more && !signal.aborted; ) {
        const some = await withSystem('retention', 'write', (db) => deleteSome(db, now()));
        total += some.deleted;
        more = some.more;
      }
      log.info({ table: 'attachment', deleted: total }, 'expired rows deleted');
      return { againAt: now() + everyMs };
    },
  });
const forgetUnused = forgetFiles('platform.forget_unused_attachments', deleteUnused, HOUR_MS);
const forgetExpired = forgetFiles('platform.forget_expired_attachments', deleteExpiredFiles, DAY_MS);

const resealFiles = defineJob({
  kind: 'platform.reseal_attachments',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    const resealed = await resealKeys(services, signal);
    if (resealed > 0) services.log.info({ resealed }, 'keys of files are sealed with the present key');
    return { againAt: services.now() + DAY_MS };
  },
});

async function forgetTable(
  { withSystem, log }: Services,
  table: ExpiringTable,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const deleted = await deleteExpired(withSystem, table, before, signal);
  log.info({ table, deleted }, 'expired rows deleted');
}

/** A table that fails does not hold up the others; then all are tried again. */
const forgetRows = defineJob({
  kind: 'platform.forget_rows',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    const failed: string[] = [];
    const some = atMost(TABLES_AT_ONCE);
    const forget = ({ table, graceMs }: Retention): Promise<void> =>
      forgetTable(services, table, services.now() - graceMs, signal).catch((error: Error) => {
        failed.push(`${table}: ${error.message}`);
      });
    await Promise.all(RETENTIONS.map((retention) => some(() => forget(retention))));
    // Stopped on the way: another worker goes on at once.
    if (signal.aborted) return { againAt: services.now() };
    if (failed.length > 0) throw new Error(`rows were not deleted: ${failed.join('; ')}`);
    return { againAt: services.now() + DAY_MS };
  },
});

/** There are many windows an hour. They follow the machine's clock. */
const forgetRateWindows = defineJob({
  kind: 'platform.forget_rate_windows',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    await forgetTable(services, 'rate_window', systemNow(), signal);
    return { againAt: services.now() + HOUR_MS };
  },
});

const ERASURES_AT_ONCE = 20;

/** Finishes erasures of buyers whose orders have arrived. */
const finishErasures = defineJob({
  kind: 'platform.finish_erasures',
  recurring: true,
  catchesUp: true,
  handler: async (services, _job, signal) => {
    const erasers = services.modules.flatMap(({ eraser }) => eraser ?? []);
    for (let found = ERASURES_AT_ONCE; found === ERASURES_AT_ONCE && !signal.aborted; ) {
      const pending = await services.withSystem('jobs', 'read', (db) =>
        erasuresToFinish(db, services.now(), ERASURES_AT_ONCE),
      );
      for (const { seller_id, ref_digest } of pending)
        await services.withSellerLong(seller_id, 'write', (db) =>
          finishErasure(acting(services, { db, seller_id }), erasers, ref_digest),
        );
      found = pending.length;
    }
    return { againAt: services.now() + HOUR_MS };
  },
});

export const platformJobs: readonly AnyJob[] = [
  forgetRows,
  forgetRateWindows,
  forgetUnused,
  forgetExpired,
  resealFiles,
  finishErasures,
];
