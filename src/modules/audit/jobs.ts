import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { acting } from '../../platform/acting.ts';
import { deleteOldEntries, grownChains, markCheckpoints } from '../../platform/audit/checkpoints.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { checkpoint } from './events.ts';
import { auditSettings } from './settings.ts';

const DAY_MS = 86_400_000;
/** In Sydney, after the work of the night. */
const CHECKPOINT_TIME = { hour: 3, minute: 40 };
const atCheckpoint = (now: number): number => nextTimeOfDay(now, CHECKPOINT_TIME);
const SELLERS_AT_ONCE = 200;

/** Sends some sellers the ends of their chains. @returns the number of sellers */
const tellSome = (services: Services): Promise<number> =>
  services.withSystemLong('seal-activity', 'write', async (db) => {
    const grown = await grownChains(db, SELLERS_AT_ONCE);
    for (const { seller_id, seq, hash } of grown) {
      const ctx = acting(services, { db, seller_id });
      const end = { seq: Number(seq), hash, at: ctx.at() };
      await ctx.emit(checkpoint.of(end, { object_id: seller_id, version: end.seq }));
    }
    if (grown.length > 0)
      await markCheckpoints(
        db,
        grown.map(({ seller_id }) => seller_id),
      );
    return grown.length;
  });

export const auditJobs = [
  defineJob({
    kind: 'audit.checkpoint',
    recurring: true,
    catchesUp: true,
    firstAt: atCheckpoint,
    handler: async (services, _job, signal) => {
      while (!signal.aborted && (await tellSome(services)) === SELLERS_AT_ONCE);
      return { againAt: atCheckpoint(services.now()) };
    },
  }),
  defineJob({
    kind: 'audit.forget_entries',
    recurring: true,
    catchesUp: true,
    handler: async ({ config, now, withSystemLong, log }, _job, signal) => {
      const keptMs = auditSettings.of(config).AUDIT_RETENTION_DAYS * DAY_MS;
      const before = new Date(now() - keptMs).toISOString();
      const deleted = await deleteOldEntries(withSystemLong, before, signal);
      log.info({ table: 'audit_entry', deleted }, 'expired rows deleted');
      return { againAt: now() + DAY_MS };
    },
  }),
];
